import { strict as assert } from 'node:assert'
import { ACCOUNT_ID } from '../../domain/ids.ts'

/** Names of nodes: part of a subject and of a key, so no dots, stars or spaces. */
export const NODE_ID = /^[a-z0-9-]{1,32}$/
/** One life of a node: a UUID in small letters. */
export const INCARNATION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Streams that the journals are spread over: the loss of one leader stalls a part of the accounts only. */
export const SHARDS = 4
/** Bucket of nodes, placements and registrations: one stream, so one order of everything in it. */
export const CONTROL_BUCKET = 'CTL'
/** Bucket of snapshots. */
export const SNAPSHOT_BUCKET = 'SNAP'

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** FNV-1a of an ASCII text, 32 bits without a sign. */
export function fnv1a(text: string): number {
  let hash = FNV_OFFSET
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME)
  }
  return hash >>> 0
}

/** 0 … SHARDS - 1. It must never change: a journal would be looked for in another stream. */
export const shardOf = (acct: string): number => fnv1a(checkedAccount(acct)) % SHARDS

/** Stream of a shard: `J0` … `J3`. */
export const journalStream = (shard: number): string => `J${shard}`
/** What a stream of journals listens to. */
export const shardSubjects = (shard: number): string => `j.${shard}.>`
/** Where all records of an account stand: `j.<shard>.<acct>`. */
export const journalSubject = (acct: string): string => `j.${shardOf(acct)}.${acct}`
/** Where the servers publish a record again once it is committed. */
export const journalEventSubject = (acct: string): string => `ev.${journalSubject(acct)}`

/** Key of a node's own record in `CTL`. Only that node writes it, and who fences it. */
export const nodeKey = (node: string): string => `n.${checkedNode(node)}`
/** Key of where an account is placed: a hint for gateways, no proof of anything. */
export const placementKey = (acct: string): string => `a.${checkedAccount(acct)}`
/** Key of an account's registration. */
export const registrationKey = (acct: string): string => `r.${checkedAccount(acct)}`
/** Key of what tells these servers apart from others. */
export const IDENTITY_KEY = 'cfg.id'

/** Calls to an account that this life of a node runs. Nobody listens any more when that life is over. */
export function callSubject(node: string, inc: string, acct: string): string {
  return `n.${checkedNode(node)}.${checkedIncarnation(inc)}.a.${checkedAccount(acct)}`
}
/** All calls to this life of a node: its one subscription. */
export function callSubjects(node: string, inc: string): string {
  return `n.${checkedNode(node)}.${checkedIncarnation(inc)}.a.*`
}
const SURVEY = /^[a-z]{1,32}$/
/** Questions to all nodes at once: `q.<what>`. */
export function surveySubject(what: string): string {
  assert(SURVEY.test(what), `survey "${what}"`)
  return `q.${what}`
}
/** Prefix of the answers to a node: nobody else may read them. */
export const inboxPrefix = (node: string): string => `_INBOX_${checkedNode(node)}`

/** What a key of `CTL` is about. */
export type ControlKey =
  | { readonly kind: 'node'; readonly node: string }
  | { readonly kind: 'placement'; readonly acct: string }
  | { readonly kind: 'registration'; readonly acct: string }
  | { readonly kind: 'setting'; readonly name: string }

/** Undefined for a key that is none of ours. */
export function parseControlKey(key: string): ControlKey | undefined {
  const dot = key.indexOf('.')
  const [prefix, name] = [key.slice(0, dot), key.slice(dot + 1)]
  if (prefix === 'n' && NODE_ID.test(name)) return { kind: 'node', node: name }
  if (prefix === 'a' && ACCOUNT_ID.test(name)) return { kind: 'placement', acct: name }
  if (prefix === 'r' && ACCOUNT_ID.test(name)) return { kind: 'registration', acct: name }
  return prefix === 'cfg' && name !== '' ? { kind: 'setting', name } : undefined
}

function checkedNode(node: string): string {
  assert(NODE_ID.test(node), `node "${node}"`)
  return node
}
function checkedAccount(acct: string): string {
  assert(ACCOUNT_ID.test(acct), `account "${acct}"`)
  return acct
}
function checkedIncarnation(inc: string): string {
  assert(INCARNATION.test(inc), `incarnation "${inc}"`)
  return inc
}
