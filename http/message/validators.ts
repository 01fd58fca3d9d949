import { hash } from 'node:crypto'
import type { Published } from '../../src/protocol/account.ts'
import type { Reply } from './reply.ts'
import type { HttpRequest } from './request.ts'

/** Of each published answer once: it is asked for again and again while it is current. */
const TAGS = new WeakMap<Published, string>()

/**
 * Follows from the bytes, so that it means the same in every process and after every restart, and
 * stays when a change was none to the eye.
 */
export function tagOf(published: Published): string {
  const known = TAGS.get(published)
  if (known !== undefined) return known
  const tag = `"${hash('sha256', published.bytes, 'hex').slice(0, 32)}"`
  TAGS.set(published, tag)
  return tag
}

/** The same content under another time of answering: equal in meaning, not to the byte. */
export const weakTagOf = (published: Published): string => `W/${tagOf(published)}`

/** The tag without its mark of weakness: whether something has changed is asked of both kinds alike. */
const bare = (tag: string): string => (tag.startsWith('W/') ? tag.slice(2) : tag)

/** Whether the client says that it has these bytes. */
export function hasAlready(request: HttpRequest, published: Published): boolean {
  // Without the header nothing is hashed.
  return request.headers.get('if-none-match') !== undefined && isKnown(request, tagOf(published))
}

/** The tag of fields that are answered with the time of answering beside them. */
export const weakTagOfFields = (fields: object): string =>
  `W/"${hash('sha256', JSON.stringify(fields), 'hex').slice(0, 32)}"`

/** Whether the client says that it has what bears this tag. */
export function isKnown({ headers }: HttpRequest, wanted: string): boolean {
  const tag = bare(wanted)
  const known = headers.get('if-none-match')?.trim()
  if (known === undefined) return false
  if (known === '*' || bare(known) === tag) return true
  return known.includes(',') && known.split(',').some((one) => bare(one.trim()) === tag)
}

/** 304: nothing has changed for a client that has this already. */
export const notModified = (tag: string): Reply => ({
  status: 304,
  headers: { ETag: tag },
  body: '',
})
