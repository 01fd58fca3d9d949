import { z } from 'zod'
import {
  CALENDAR_STANDINGS,
  type CensusNode,
  NODE_STANDINGS,
  PLACE_STANDINGS,
} from '../../src/protocol/census.ts'
import type { AccountPlace, ClusterView } from '../port/service.ts'

/** Who runs an account of a cluster. */
export const place = z
  .object({
    standing: z
      .enum(PLACE_STANDINGS)
      .describe(
        'owner_silent: its node is not heard of; taking_over: another node is about to run it; no_owner: no node that may run it is there',
      ),
    node: z.string().nullable().describe('that runs it, or did when it was last heard of'),
  })
  .meta({ id: 'AccountPlace' })

const clusterNode = z
  .object({
    node: z.string(),
    standing: z
      .enum(NODE_STANDINGS)
      .describe(
        'silent: has missed several renewals of its lease; fenced: was silent too long; unknown: the servers tell nothing now',
      ),
    is_this: z.boolean().describe('the node that answers'),
    version: z.string().describe('of its program'),
    heard_seconds: z
      .number()
      .nullable()
      .describe(
        'since its last renewal was seen by the node that answers; null = that was before it looked',
      ),
    fenced_by: z.string().nullable().describe('the node that has declared its life over'),
    closed_days: z
      .enum(CALENDAR_STANDINGS)
      .describe(
        'the days on which its exchange is closed, beside those of the node that answers; unknown: an earlier release does not say',
      ),
    other_rules: z
      .array(
        z.object({
          node: z.string(),
          fields: z.array(z.string()).describe('settings of their files that differ'),
        }),
      )
      .nullable()
      .describe(
        'nodes that may run an account of this one, and would by other settings of strategy or risk; null: an earlier release does not say',
      ),
    other_client: z
      .array(z.string())
      .nullable()
      .describe(
        'accounts that its file would have run by another kind of trading client, a real one or the embedded one, than they live with: it takes none of them over; of those that the caller may see; null: an earlier release does not say',
      ),
    accounts: z.array(z.string()).describe('that it runs, of those that the caller may see'),
  })
  .meta({ id: 'ClusterNode' })

/** The nodes of a cluster as one of them sees them. */
export const cluster = z
  .object({
    node: z.string().describe('that answers'),
    is_current: z.boolean().describe('the servers tell of the present'),
    may_act: z
      .boolean()
      .nullable()
      .describe('its lease holds: its accounts may send orders; null = a gateway, which runs none'),
    nodes: z.array(clusterNode),
  })
  .meta({ id: 'Cluster' })

/** Counts for who only wants to know whether all is well. */
export const clusterCounts = z.object({
  node: z.string().describe('that answers'),
  is_current: z.boolean().describe('the servers tell of the present'),
  nodes: z.object({
    total: z.int(),
    up: z.int(),
    other_closed_days: z
      .int()
      .describe('of those that are there: whose exchange is closed on other days than here'),
    other_rules: z
      .int()
      .describe('of those that are there: whose files have other settings of strategy or risk'),
    other_client: z
      .int()
      .describe(
        'of those that are there: which take some account not over, as their files have another kind of trading client for it',
      ),
  }),
  accounts: z
    .object({
      running: z.int(),
      owner_silent: z.int(),
      taking_over: z.int(),
      no_owner: z.int(),
      unknown: z.int(),
    })
    .describe('how many, by who runs them'),
})

type Sees = (accountId: string) => boolean

const nodeFieldsOf = (
  { node, standing, version, heardMsAgo, fencedBy, closedDays, rules, otherClient }: CensusNode,
  view: ClusterView,
  { accounts, sees }: { readonly accounts: string[]; readonly sees: Sees },
): z.infer<typeof clusterNode> => ({
  node,
  standing,
  is_this: node === view.node,
  version,
  heard_seconds: heardMsAgo === undefined ? null : Math.round(heardMsAgo / 100) / 10,
  fenced_by: fencedBy ?? null,
  closed_days: closedDays,
  other_rules: rules === undefined ? null : otherRules(node, view),
  other_client: otherClient?.filter(sees) ?? null,
  accounts,
})

const otherRules = (node: string, { apart }: ClusterView) =>
  apart.flatMap(({ nodes, fields }) =>
    nodes
      .filter((one) => nodes.includes(node) && one !== node)
      .map((other) => ({ node: other, fields: [...fields] })),
  )

const isThere = ({ standing }: CensusNode): boolean => standing !== 'gone' && standing !== 'fenced'
/** Nodes that trade, or may at any moment, by another calendar. */
const hasOtherDays = (one: CensusNode): boolean => one.closedDays === 'other' && isThere(one)

const hasOtherClient = (one: CensusNode): boolean =>
  one.otherClient !== undefined && one.otherClient.length > 0 && isThere(one)

/** With the accounts that the caller may see. */
export function clusterFields(view: ClusterView, sees: Sees): z.infer<typeof cluster> {
  const runs = new Map<string, string[]>()
  for (const { accountId, node } of view.places) {
    if (node === null || !sees(accountId)) continue
    const list = runs.get(node) ?? []
    runs.set(node, list)
    list.push(accountId)
  }
  const { node: self, isCurrent, mayAct } = view
  const nodeFields = (one: CensusNode) =>
    nodeFieldsOf(one, view, { accounts: runs.get(one.node) ?? [], sees })
  return {
    node: self,
    is_current: isCurrent,
    may_act: mayAct,
    nodes: view.nodes.map(nodeFields),
  }
}

export const placeFields = ({ standing, node }: AccountPlace): z.infer<typeof place> => ({
  standing,
  node,
})

export function countFields(view: ClusterView, sees: Sees): z.infer<typeof clusterCounts> {
  const seen = view.places.filter(({ accountId }) => sees(accountId))
  const count = (standing: AccountPlace['standing']) =>
    seen.filter((one) => one.standing === standing).length
  return {
    node: view.node,
    is_current: view.isCurrent,
    nodes: {
      total: view.nodes.length,
      up: view.nodes.filter(({ standing }) => standing === 'up').length,
      other_closed_days: view.nodes.filter(hasOtherDays).length,
      other_rules: new Set(view.apart.flatMap(({ nodes }) => nodes)).size,
      other_client: view.nodes.filter(hasOtherClient).length,
    },
    accounts: {
      running: count('running'),
      owner_silent: count('owner_silent'),
      taking_over: count('taking_over'),
      no_owner: count('no_owner'),
      unknown: count('unknown'),
    },
  }
}
