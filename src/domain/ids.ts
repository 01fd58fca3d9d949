/** 26 characters of Crockford's base 32, as a ULID is spelled: 10 of time, 16 of the rest. */
export const CLIENT_ORDER_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/
/** The end of a client order id, as an order's remark carries it where remarks are cut. */
const TAIL = /^[0-9A-HJKMNP-TV-Z]{20}$/
export const isTail = (text: string): boolean => TAIL.test(text)
/** The sidecar of a real broker writes the same into the remark. */
export const remarkTail = (clientOrderId: string): string => clientOrderId.slice(-20)
/** What callers may send as their own key: 1 to 64 visible ASCII characters. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,64}$/
/**
 * The trading client's number of an order. It is text: mostly digits, letters at some counters, and what an order
 * without a number is called instead, `sysid:…` or `row:…`.
 */
export const ORDER_NUMBER = /^[A-Za-z0-9_.:-]{1,96}$/
/**
 * The same as JSON tells it: a number where one says exactly this text. One with zeros in front stays text: without them it
 * names no order, or another one.
 */
export function orderNumber(text: string): number | string {
  const number = Number(text)
  const isSame = Number.isSafeInteger(number) && number >= 0 && String(number) === text
  return isSame ? number : text
}

/** Either id of an order: a number, a key, or what an order of somebody else is filed under here. */
export const ORDER_ID = /^[\x21-\x7e]{1,128}$/
/** Account ids name folders, pipes and URLs, so they are kept to characters that are safe in all three. */
export const ACCOUNT_ID = /^[A-Za-z0-9_-]{1,32}$/
/** The folder that an account's id names, as Windows tells folders apart: the case of letters means nothing. */
export const folderOf = (accountId: string): string => accountId.toLowerCase()
/** Folder names inside the data directory that no account may take. */
export const RESERVED_ACCOUNT_IDS: ReadonlySet<string> = new Set(['paper', 'service', 'logs'])
/**
 * Whether Windows takes a name for one of its devices, whatever folder it stands in. It is refused everywhere: data
 * move from one computer to another.
 */
export const isDevice = (name: string): boolean => /^(con|prn|aux|nul|(com|lpt)\d)$/i.test(name)
/** Whether a folder of this name below the data may be that of an account. */
export const mayBeAccount = (name: string): boolean =>
  ACCOUNT_ID.test(name) && !RESERVED_ACCOUNT_IDS.has(name.toLowerCase()) && !isDevice(name)

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Our own number of an order: sorts by time and is the same whenever the same account decides the
 * same thing at the same point of its journal, which is what makes a replay repeat to the byte.
 *
 * Units   `timeMs` epoch milliseconds; `entropy` at least 10 bytes, unique within the account.
 */
export function clientOrderId(timeMs: number, entropy: Uint8Array): string {
  let time = ''
  for (let rest = timeMs, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) {
    time = (ALPHABET[rest % 32] ?? '0') + time
  }
  return time + letters(entropy.subarray(0, 5)) + letters(entropy.subarray(5, 10))
}

/** Five bytes as eight letters; a number holds that many bits exactly. */
function letters(bytes: Uint8Array): string {
  let rest = bytes.reduce((bits, byte) => bits * 256 + byte, 0)
  let text = ''
  for (let i = 0; i < 8; i++, rest = Math.floor(rest / 32)) {
    text = (ALPHABET[rest % 32] ?? '0') + text
  }
  return text
}

/**
 * The client order id behind a caller's key: itself when it is one, else one derived from it, so
 * that the same key always means the same order, also after a restart.
 *
 * Units   `digest` answers the SHA-256 of a text, 32 bytes.
 */
export function orderIdOfKey(
  accountId: string,
  key: string,
  digest: (text: string) => Uint8Array,
): string {
  if (CLIENT_ORDER_ID.test(key)) return key
  const hash = digest(`${accountId}|${key}`)
  const time = hash.subarray(10, 16).reduce((sum, byte) => sum * 256 + byte, 0)
  return clientOrderId(time, hash)
}
