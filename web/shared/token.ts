/** Signs that nobody sees, which come along from a chat or a document. */
const UNSEEN = /[\s\u00ad\u200b-\u200f\u2060\ufeff]/g
/** A token as it was meant: an input method in full width has the same signs, and blanks that were pasted along are none of it. */
export const typedToken = (text: string): string => text.normalize('NFKC').replaceAll(UNSEEN, '')
