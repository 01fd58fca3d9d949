import { saidOf } from '../../src/domain/error-words.ts'
import type { Published } from '../../src/protocol/account.ts'
import { failureOf } from '../message/errors.ts'
import { tagOf } from '../message/validators.ts'
import type { AccountLink, CallOptions } from '../port/service.ts'
import { idOf, type Place } from './journal-tail.ts'

/** What an account shows at a look. */
export interface Shown {
  /** Changes with what is shown. */
  readonly text: string
  readonly fields: Readonly<Record<string, unknown>>
  /** `data_version` of the positions; −1 when the account could not be asked. */
  readonly version: number
  /** While the account's own word is this nothing else has changed; undefined: nobody knows. */
  readonly word: number | undefined
}

/** What of an event is for one client. */
export interface OwnPart {
  /** The positions have changed since its last event. */
  readonly isChanged: boolean
  /** What was journaled since, each as JSON. */
  readonly entries: readonly string[]
  /** It has missed entries that nobody can tell it. */
  readonly isLost: boolean
}

/** What has changed, and not what it is now: whoever follows reads that, if it wants it. Errors  of the account. */
export async function shownOf(
  link: AccountLink,
  status: Published,
  options: () => CallOptions,
): Promise<Shown> {
  const [orders, trades] = await Promise.all([
    link.read('v1Orders', options()),
    link.read('v1Trades', options()),
  ])
  const text = Buffer.from(status.bytes).toString('utf8')
  const { data } = JSON.parse(text) as { readonly data: Readonly<Record<string, unknown>> }
  const fields = {
    account_id: link.accountId,
    connected: data['connected'] === true,
    ready: data['ready'] === true,
    simulation_mode: data['simulation_mode'] ?? null,
    orders: tagOf(orders),
    trades: tagOf(trades),
  }
  const word = status.version < 0 ? undefined : status.version
  return { ...withPositions(fields, status), word }
}

/** The same with the positions as they are by now, whose prices move while the account does nothing. */
export const movedOn = (last: Shown, status: Published): Shown =>
  last.version === status.dataVersion ? last : { ...last, ...withPositions(last.fields, status) }

function withPositions(of: Shown['fields'], { dataVersion: version }: Published) {
  const fields = { ...of, positions_update: { version } }
  return { text: JSON.stringify(fields), fields, version }
}

/** Why the account cannot be asked. */
export function unasked(error: unknown): Shown {
  const message = saidOf(failureOf(error))
  return { text: message, fields: { error: message }, version: -1, word: undefined }
}

/**
 * The text of an event: a block with `data` on one line, then one with the id alone (see `EventMemory`). Of an account
 * that cannot be asked nobody knows the place: the id stays what it was.
 */
export function frameOf(
  { fields, version }: Shown,
  timestamp: string,
  told?: { readonly own: OwnPart; readonly place: Place },
): string {
  if (told === undefined) return `data: ${JSON.stringify({ timestamp, ...fields })}\n\n`
  const { own, place } = told
  const data = JSON.stringify({
    timestamp,
    ...fields,
    positions_update: { version, changed: own.isChanged },
    journal_seq: place.seq,
    ...(own.isLost && { resync: true }),
  })
  const entries = own.entries.length === 0 ? '' : `,"entries":[${own.entries.join(',')}]`
  return `data: ${data.slice(0, -1)}${entries}}\n\nid: ${idOf(place)}\n\n`
}
