// @ts-check
// The notices that the host shows at the frame of a widget.

export const ENDED = 'This widget did not stop sending messages and was ended.';
export const FLOODED = 'This widget sent too many messages and is paused.';
export const GREEDY = 'This widget has taken the keyboard several times while you were writing. It was ended.';
export const LEFT = 'This widget has left its page and is cut off.';
export const SILENT = 'This widget does not answer.';
export const REFUSED = 'You have refused this widget several times, or it has taken its questions back. It can ask no more.';
