/** What fits into an HTTP header and can be typed: a token with a space could never match. */
export const TOKEN = /^[\x21-\x7e]*$/
export const isToken = (text: string): boolean => TOKEN.test(text)
