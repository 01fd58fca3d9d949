/**
 * How one node looks to another.
 *
 * `up`        renews its lease, and may run accounts
 * `draining`  runs what it has not released yet, and takes no more
 * `silent`    has missed several renewals, and has not been fenced yet
 * `fenced`    was silent too long: this life of it is over
 * `gone`      has ended in order
 * `unknown`   what is seen of it is not of the present
 */
export const NODE_STANDINGS = ['up', 'draining', 'silent', 'fenced', 'gone', 'unknown'] as const
export type NodeStanding = (typeof NODE_STANDINGS)[number]

/**
 * Who runs an account, as the servers show it.
 *
 * `running`       a node that is there
 * `owner_silent`  a node that is not heard of: it is waited for
 * `taking_over`   nobody, and a node that may run it is there
 * `no_owner`      nobody, and no node that may run it is there
 * `unknown`       nobody can tell from here
 */
export const PLACE_STANDINGS = [
  'running',
  'owner_silent',
  'taking_over',
  'no_owner',
  'unknown',
] as const
export type PlaceStanding = (typeof PLACE_STANDINGS)[number]

/** Whether the exchange of a node is closed on the days of the one that looks; `unknown`: an earlier release does not say. */
export const CALENDAR_STANDINGS = ['same', 'other', 'unknown'] as const
export type CalendarStanding = (typeof CALENDAR_STANDINGS)[number]

export interface CensusNode {
  readonly node: string
  readonly standing: NodeStanding
  /** Of the program. */
  readonly version: string
  /** Since its last word was seen here; undefined: it was spoken before this node looked. */
  readonly heardMsAgo: number | undefined
  /** Node that has declared its life over. */
  readonly fencedBy: string | undefined
  readonly closedDays: CalendarStanding
  /** What of its file decides how it runs an account, as digests; undefined: an earlier release does not say. */
  readonly rules: string | undefined
  /**
   * Accounts that it would run by the other kind of trading client, real or embedded, than they live with, and does not
   * take over; undefined: an earlier release does not say.
   */
  readonly otherClient: readonly string[] | undefined
}

/** Two nodes of which one would run an account of the other by other rules. */
export interface RulesApart {
  readonly nodes: readonly [string, string]
  /** Settings of their files, by their paths. */
  readonly fields: readonly string[]
}

/** Where the servers show an account. */
export interface CensusPlace {
  readonly accountId: string
  readonly node: string
  readonly epoch: number
  /** How the life of that node stands which has taken it; `none`: it is over, or has let the account go. */
  readonly owner: 'there' | 'silent' | 'none' | 'unknown'
}

/** All nodes and accounts of a cluster, as one node sees them at a moment. */
export interface Census {
  /** Whether the servers tell of the present; otherwise this is what they told last. */
  readonly isCurrent: boolean
  /** In the order of their names. */
  readonly nodes: readonly CensusNode[]
  readonly places: readonly CensusPlace[]
  /** For which this node may still act; 0: it may not. */
  readonly leaseMs: number
  /** Since the servers last showed a renewal of this node; undefined: they never did. */
  readonly echoMsAgo: number | undefined
}
