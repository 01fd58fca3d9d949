import type { Schemas } from '../shared/api.ts'
import { accountName } from '../shared/format.ts'
import { believed } from '../shared/freshness.ts'
import type { Standing } from './standings.ts'

export type Cluster = Schemas['Cluster']
type NodeStanding = Schemas['ClusterNode']['standing']

/** A node as it is shown. */
export interface NodeRow {
  readonly node: string
  readonly isThis: boolean
  readonly standing: NodeStanding
  readonly version: string
  /** ms since its last renewal, until now; undefined = nobody can tell. */
  readonly heardMsAgo: number | undefined
  /** Node that has declared its life over. */
  readonly fencedBy: string | undefined
  /** undefined = nobody can tell. */
  readonly accounts: readonly string[] | undefined
  /** Its exchange is closed on other days than that of the node that answers. */
  readonly hasOtherDays: boolean
  /** Settings of its file that differ from those of a node that may run the same account. */
  readonly otherRules: readonly string[]
  /** Accounts that it does not take over: its file has another kind of trading client for them. */
  readonly otherClient: readonly string[]
}

export type NoteName =
  | 'noOwner'
  | 'silent'
  | 'fenced'
  | 'mayNotAct'
  | 'away'
  | 'otherDays'
  | 'otherRules'
  | 'otherClient'

/** Something of the cluster that a person has to see on every screen. */
export interface ClusterNote {
  readonly name: NoteName
  readonly tone: 'error' | 'warn'
  readonly nodes: readonly string[]
  readonly n: number
  /** Of accounts, or of settings. */
  readonly names: readonly string[]
}

/** Accounts, or settings, that a note names; of more it says how many there are. */
const NAMED_MAX = 6
const TONES: Readonly<Record<NodeStanding, 'ok' | 'warn' | 'error' | 'plain'>> = {
  up: 'ok',
  draining: 'warn',
  silent: 'error',
  fenced: 'error',
  gone: 'plain',
  unknown: 'plain',
}
export const toneOfNode = ({ standing }: NodeRow) => TONES[standing]

/** What was told of the cluster, and when. */
export interface Told {
  readonly cluster: Cluster | undefined
  readonly updatedAt: number | undefined
}

/** None of what is too old is believed, and nothing of what the servers do not tell of now. */
export function nodeRows({ cluster, updatedAt }: Told, nowMs: number): readonly NodeRow[] {
  const isKnown = believed({ data: cluster, updatedAt }, nowMs)?.is_current === true
  const sinceMs = nowMs - (updatedAt ?? nowMs)
  return (cluster?.nodes ?? []).map((one) => ({
    node: one.node,
    isThis: one.is_this,
    version: one.version,
    fencedBy: one.fenced_by ?? undefined,
    ...(isKnown ? knownOf(one, sinceMs) : UNKNOWN),
  }))
}

/** What passes with time. */
type Known = Omit<NodeRow, 'node' | 'isThis' | 'version' | 'fencedBy'>
const UNKNOWN: Known = {
  standing: 'unknown',
  heardMsAgo: undefined,
  accounts: undefined,
  hasOtherDays: false,
  otherRules: [],
  otherClient: [],
}

const knownOf = (one: Cluster['nodes'][number], sinceMs: number): Known => ({
  standing: one.standing,
  heardMsAgo: one.heard_seconds === null ? undefined : one.heard_seconds * 1_000 + sinceMs,
  accounts: one.accounts,
  hasOtherDays: one.closed_days === 'other',
  otherRules: (one.other_rules ?? []).flatMap(({ fields }) => fields),
  otherClient: one.other_client ?? [],
})

const isThere = ({ standing }: NodeRow): boolean => standing !== 'gone' && standing !== 'fenced'
/** Whoever has ended trades by no days. */
const hasOtherDays = (row: NodeRow): boolean => row.hasOtherDays && isThere(row)

const few = (all: readonly string[]): readonly string[] =>
  all.length > NAMED_MAX ? [...all.slice(0, NAMED_MAX), '…'] : all

/** The worst first; a page that hears nothing any more says so by itself. */
export function clusterNotes(
  told: Told,
  standings: readonly Standing[],
  nowMs: number,
): readonly ClusterNote[] {
  const cluster = believed({ data: told.cluster, updatedAt: told.updatedAt }, nowMs)
  if (cluster === undefined) return []
  const left = standings.filter(({ place }) => place?.standing === 'no_owner')
  const rows = nodeRows(told, nowMs)
  const of = (standing: NodeStanding) =>
    rows.filter((row) => row.standing === standing).map(({ node }) => node)
  const others = rows.filter(hasOtherDays).map((row) => row.node)
  const names = few(left.map((one) => accountName(one.accountId, one.alias)))
  const aliases = new Map(standings.map(({ accountId, alias }) => [accountId, alias]))
  const unlike = rows.filter((row) => row.otherRules.length > 0)
  const settings = few([...new Set(unlike.flatMap((row) => row.otherRules))])
  const unable = rows.filter((row) => row.otherClient.length > 0 && isThere(row))
  const untaken = [...new Set(unable.flatMap((row) => row.otherClient))]
  const note = (name: NoteName, tone: ClusterNote['tone'], nodes: readonly string[]) => ({
    name,
    tone,
    nodes,
    n: left.length,
    names,
  })
  const { node, is_current: isCurrent, may_act: mayAct } = cluster
  return [
    ...(left.length > 0 ? [note('noOwner', 'error', [])] : []),
    ...(mayAct === false ? [note('mayNotAct', 'error', [node])] : []),
    ...(isCurrent ? [] : [note('away', 'error', [node])]),
    ...(of('silent').length > 0 ? [note('silent', 'error', of('silent'))] : []),
    ...(others.length > 0 ? [note('otherDays', 'error', others)] : []),
    ...(unlike.length > 0
      ? [
          {
            ...note(
              'otherRules',
              'error',
              unlike.map((row) => row.node),
            ),
            names: settings,
          },
        ]
      : []),
    ...(unable.length > 0
      ? [
          {
            ...note(
              'otherClient',
              'error',
              unable.map((row) => row.node),
            ),
            n: untaken.length,
            names: few(untaken.map((id) => accountName(id, aliases.get(id) ?? ''))),
          },
        ]
      : []),
    ...(of('fenced').length > 0 ? [note('fenced', 'warn', of('fenced'))] : []),
  ]
}
