import { z } from 'zod'
import { cluster, clusterFields, place, placeFields } from '../answers/cluster.ts'
import { withBoth } from '../message/in-both.ts'
import type { Feature } from './feature.ts'

const NO_CLUSTER =
  '本机不在集群中：配置里没有 cluster 一节 (this computer is in no cluster: its configuration has no section “cluster”)'

const nodeFields = z.object({
  cluster: cluster.nullable().describe('null = this computer is in none'),
  accounts: z
    .array(z.object({ account_id: z.string(), ...place.shape }))
    .describe('that the caller may see, those of this computer first'),
  message: z.string().optional().describe('why there is no cluster to show'),
  message_zh: z.string().optional().describe('the message in Chinese alone'),
  message_en: z.string().optional().describe('the message in English alone'),
})

/** The computers of a cluster, and which of them runs which account. */
export const nodes: Feature = (on) => [
  on.common.route({
    method: 'GET',
    path: '/nodes',
    scope: 'view',
    confinesItself: true,
    summary: '集群的节点，及各账户由谁运行 (the nodes of the cluster, and who runs which account)',
    answer: on.common.envelope.answer(nodeFields),
    handle: async ({ request }) => {
      const view = await on.service.cluster?.view()
      if (view === undefined) {
        const none = { cluster: null, accounts: [], message: NO_CLUSTER }
        return on.common.envelope.reply(withBoth(none))
      }
      const sees = on.sees(request)
      const accounts = view.places
        .filter(({ accountId }) => sees(accountId))
        .map((one) => ({ account_id: one.accountId, ...placeFields(one) }))
      return on.common.envelope.reply({ cluster: clusterFields(view, sees), accounts })
    },
  }),
]
