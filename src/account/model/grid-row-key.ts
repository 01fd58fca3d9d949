const DIGITS = 10
const padded = (value: number): string => String(value).padStart(DIGITS, '0')

/** Key of a row that belongs to a session: sorts by session, then by the row's own number. */
export const rowKey = (sessionId: number, id: number): string =>
  `${padded(sessionId)}/${padded(id)}`
