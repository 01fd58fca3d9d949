import type { AccountOwnership, OwnershipEvents } from '../../cluster/account-ownership.ts'
import { ClusterOwnership } from '../../cluster/cluster-ownership.ts'
import type { ClusterLimits } from '../../cluster/limits.ts'
import { admitStart } from '../../cluster/membership.ts'
import { type AskStore, Ownership } from '../../cluster/ownership.ts'
import { isReal } from '../../config/drivers.ts'
import type { AccountConfig } from '../../config/schema.ts'
import type { ServiceError } from '../../domain/errors.ts'
import type { OpenLine } from '../../ports/transport.port.ts'
import type { ClusterRequest } from '../../protocol/cluster.ts'
import { Link } from '../../runtime/link.ts'
import type { ClusterDesk } from '../lines/cluster-desk.ts'
import type { ActorSystem } from '../threads/actor-system.ts'

/** The account, and where its owner is sought. */
export interface OwnedAccount {
  readonly system: ActorSystem
  readonly slot: number
  /** As configured. */
  readonly account: AccountConfig
  readonly dataDir: string
  /** Why its databases must not be opened; undefined when they may. */
  readonly examine: () => Promise<ServiceError | undefined>
  readonly limits: ClusterLimits & {
    readonly openAsksMax: number
    /** In a cluster a start waits so long for the account to be found. ms */
    readonly settleMs: number
  }
}

/** What its handle hears besides the roles, and is asked. */
export interface OwnershipTold extends OwnershipEvents {
  /** Of the ownership that this process has now; 0: it has none. */
  readonly epoch: () => number
  /** Answers to these orders did not get to whoever wanted them. */
  readonly untold: (keys: readonly string[]) => void
  /** The journal of the cluster is not answered, or is again. */
  readonly stalled: (isStalled: boolean) => void
}

/** How an account comes to be run by one process: by a lock and a socket on one computer, by its journal in a cluster. */
export function ownershipOf(owned: OwnedAccount, told: OwnershipTold): AccountOwnership {
  const { cluster } = owned.system
  return cluster === undefined ? onOneComputer(owned, told) : inCluster(cluster, owned, told)
}

const controlOf =
  (system: ActorSystem): AskStore<'mark'> =>
  (request) =>
    system.records(request)

function onOneComputer(owned: OwnedAccount, told: OwnershipTold): AccountOwnership {
  const { system, account, dataDir, examine, limits } = owned
  const { openAsksMax } = limits
  const openLine: OpenLine = (wire, end) => new Link(wire, { ...end, limits: { openAsksMax } })
  const control = controlOf(system)
  const deps = { dataDir, control, limits, random: Math.random, openLine, examine }
  return new Ownership(account.account_id, deps, told)
}

function inCluster(
  cluster: ClusterDesk,
  { system, slot, account, examine, limits }: OwnedAccount,
  told: OwnershipTold,
): AccountOwnership {
  const { account_id: accountId, eligible } = account
  const { epoch, serve: answer, untold, stalled } = told
  return new ClusterOwnership(
    accountId,
    {
      slot,
      node: cluster.node,
      eligible,
      isReal: isReal(account),
      admit: admitStart,
      control: controlOf(system),
      ask: <K extends ClusterRequest['kind']>(request: Extract<ClusterRequest, { kind: K }>) =>
        cluster.ask<K>(request),
      listen: (listener) =>
        cluster.listen(accountId, { listener, served: { epoch, answer, untold } }),
      line: cluster.lineTo(accountId),
      examine,
      stalled,
      limits,
    },
    told,
  )
}
