// Declares the tables beside the chat, one entry each.

/** @type {import('./record-table.js').TableKind[]} */
export const TABLES = [
  {
    name: 'tasks',
    title: 'Tasks',
    singular: 'task',
    columns: [
      { name: 'done', label: 'Done', kind: 'flag' },
      { name: 'title', label: 'Title', kind: 'text' },
      { name: 'due', label: 'Due', kind: 'moment' },
    ],
  },
  {
    name: 'notes',
    title: 'Notes',
    singular: 'note',
    columns: [
      { name: 'title', label: 'Title', kind: 'text' },
      { name: 'text', label: 'Text', kind: 'text', lines: true },
    ],
  },
];
