import { strict as assert } from 'node:assert'
import { ACCOUNT_ID } from '../../domain/ids.ts'
import type { Line, Stop } from './line.ts'

/** Kinds of what may be lost: prices, positions as shown, states. Part of a subject. */
const KIND = /^[a-z_]{1,32}$/
const ANY = '*'
const PREFIX = 'ev.s.'

/** Tells those who look at the moment. Who does not never learns of it: nothing that matters goes here. */
export function publishStatus(
  line: Line,
  about: { acct: string; kind: string },
  bytes: Uint8Array,
): void {
  assert(ACCOUNT_ID.test(about.acct) && KIND.test(about.kind), `${about.acct} ${about.kind}`)
  line.publish(`${PREFIX}${about.acct}.${about.kind}`, bytes)
}

/** What is told of one account, or of all. */
export function followStatus(
  line: Line,
  acct: string | undefined,
  onStatus: (acct: string, kind: string, bytes: Uint8Array) => void,
): Stop {
  assert(acct === undefined || ACCOUNT_ID.test(acct), acct)
  return line.subscribe(`${PREFIX}${acct ?? ANY}.${ANY}`, ({ subject, data }) => {
    const [whose = '', kind = ''] = subject.slice(PREFIX.length).split('.')
    onStatus(whose, kind, data)
  })
}
