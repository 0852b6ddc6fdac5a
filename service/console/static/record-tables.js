// The tables beside the chat: declarations, and nothing but them. Another table is another entry.

/** @type {import('./record-table.js').TableKind[]} */
export const TABLES = [
  {
    name: 'tasks',
    title: 'Tasks',
    one: 'task',
    columns: [
      { name: 'done', label: 'Done', kind: 'flag' },
      { name: 'title', label: 'Title', kind: 'text' },
      { name: 'due', label: 'Due', kind: 'moment' },
    ],
  },
  {
    name: 'notes',
    title: 'Notes',
    one: 'note',
    columns: [
      { name: 'title', label: 'Title', kind: 'text' },
      { name: 'text', label: 'Text', kind: 'text', lines: true },
    ],
  },
];
