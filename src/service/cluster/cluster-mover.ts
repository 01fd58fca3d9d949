import { setTimeout as delay } from 'node:timers/promises'
import { ClusterOwnership, type SeatListener } from '../../cluster/cluster-ownership.ts'
import { planJoin, planLeave, type Standing } from '../../cluster/membership.ts'
import type { Registration } from '../../config/account.ts'
import type { ClusterConfig } from '../../config/cluster.ts'
import { isReal } from '../../config/drivers.ts'
import type { AccountConfig, Config } from '../../config/schema.ts'
import { ServiceError } from '../../domain/errors.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { ClusterAbout } from '../../protocol/cluster.ts'
import type { ClusterMark, StoreControlReplies } from '../../protocol/store.ts'
import type { KeptRegistrations } from '../accounts/kept-registrations.ts'
import { encodeShared, unknownNodes } from '../accounts/shared-registrations.ts'
import type { ClusterDesk } from '../lines/cluster-desk.ts'
import type { ActorSystem } from '../threads/actor-system.ts'

/** What has just been done. */
export type MoveStep = 'marked' | 'handed' | 'owned' | 'noted' | 'closed'

/** What moves an account. */
export interface Moving {
  readonly config: Config
  readonly cluster: ClusterConfig
  /** Called between two steps; what it throws ends the command there, as a crash would. For tests. */
  readonly onStep?: ((step: MoveStep) => void) | undefined
}

const NOT_HERE = '这里只移动账户，不运行它 (accounts are only moved here, and not run)'

/** What became of it, in both languages. */
export type Told = Result<string, string>

const JOINED = '已加入集群，可以启动服务 (is in the cluster; start the service)'
const IS_IN = '早已在集群中 (was in the cluster already)'
const HAS_LEFT =
  '已退出集群，本机数据是最新的；去掉 cluster 一节后启动即单独运行 (has left the cluster, and this data folder is up to date: remove the section "cluster" and start)'
const IS_OUT = '这里的数据不属于任何集群，不需要退出 (is in no cluster here; nothing to leave)'
const LOST =
  '已与失去的集群断开；下次启动先与券商核对，经人确认后才下单。其他电脑上的副本不得再启动 (is free of the lost cluster; the next start compares with the broker, and nothing is sent before a person has confirmed. Start it on no other computer)'
const OVERTAKEN =
  '同时有别的节点接管了它，请停止所有节点后再试 (another node took it over meanwhile: stop all nodes and try again)'
const CHANGED =
  '同时有别的节点打开了它的日志：请停止所有节点，核对后再试 (another node has opened its journal meanwhile: stop all nodes, compare, and try again)'
const untold = (why: string): string =>
  `已加入集群，但其他节点还不认识它，改正后请再运行一次 (is in the cluster, but the other nodes do not know it yet; mend this and run the command again): ${why}`
const SILENT =
  '集群服务器没有应答：steward cluster check 会说明原因，改正后再试 (the servers do not answer: steward cluster check says why; try again then)'
const heldBy = (node: string): string =>
  `仍由节点 ${node} 运行，或它刚刚失去联系：请停止它，稍后再试 (the node ${node} runs it, or was lost a moment ago: stop it, and try again in a while)`

interface Moved {
  readonly account: AccountConfig
  /** How it was registered, with the nodes that may run it; undefined: it is one of the configuration. */
  readonly registration?: Registration | undefined
  readonly kept: Pick<KeptRegistrations, 'keep'>
  readonly system: ActorSystem
}

/** One account on its way into a cluster, or out of it. */
export class Mover {
  readonly account: AccountConfig
  readonly #moving: Moving
  readonly #on: Moved
  readonly #system: ActorSystem

  constructor(moving: Moving, on: Moved) {
    this.#moving = moving
    this.account = on.account
    this.#on = on
    this.#system = on.system
  }

  /** Once it is in, all nodes know it: before, the first of those that may run it would begin it anew. */
  async join(): Promise<Told> {
    const joined = await this.#joinAlone()
    const { registration, kept } = this.#on
    if (!joined.ok || registration === undefined) return joined
    const { account_id: accountId, eligible = [] } = registration
    const value = encodeShared({ ord: Date.now(), registration })
    try {
      const answer = await this.#desk.ask({ kind: 'register', accountId, eligible, value })
      if (answer.is === 'unknown') return err(untold(unknownNodes(answer.nodes).message))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return err(untold(error.message))
    }
    await kept.keep(registration)
    return joined
  }

  async #joinAlone(): Promise<Told> {
    const standing = await this.#standing()
    if (standing === undefined) return err(SILENT)
    const plan = planJoin(standing)
    if (!plan.ok) return plan
    if (plan.value.is === 'done') return ok(IS_IN)
    const { id } = standing.about
    const opensAt = plan.value.is === 'open' ? plan.value.opensAt : undefined
    if (plan.value.is === 'open') {
      const opened = await this.#prepare(standing, plan.value)
      if (!opened.ok) return opened
    }
    const taken = await this.#take(opensAt)
    if (!taken.ok) return taken
    this.#step('owned')
    await this.#mark({ id, state: 'in', at: 0 })
    await taken.value.ownership.release()
    return ok(JOINED)
  }

  /** What is here is in the database, the database says where it is going, and the servers have all of it. */
  async #prepare(
    { mark, about }: Standing,
    { opensAt, handsOver }: { readonly opensAt: number; readonly handsOver: boolean },
  ): Promise<Result<null, string>> {
    if (mark?.state !== 'joining') {
      if (handsOver) await this.#catchUp()
      await this.#mark({ id: about.id, state: 'joining', at: opensAt })
    }
    this.#step('marked')
    if (handsOver) await this.#system.records({ kind: 'hand', accountId: this.#id })
    this.#step('handed')
    const again = await this.#about()
    if (again === undefined) return err(SILENT)
    return (again.end?.seq ?? 0) === opensAt ? ok(null) : err(CHANGED)
  }

  async leave(): Promise<Told> {
    const standing = await this.#standing()
    if (standing === undefined) return err(SILENT)
    const plan = planLeave(standing)
    if (!plan.ok) return plan
    const { id } = standing.about
    if (plan.value.is === 'done') return ok(IS_OUT)
    if (plan.value.is === 'unmark') await this.#mark(null)
    if (plan.value.is === 'finish') await this.#mark({ id, state: 'left', at: plan.value.at })
    if (plan.value.is !== 'close') return ok(HAS_LEFT)
    const taken = await this.#take(undefined)
    if (!taken.ok) return taken
    const { ownership, epoch } = taken.value
    this.#step('owned')
    await this.#mark({ id, state: 'leaving', at: epoch })
    this.#step('noted')
    const at = await ownership.close()
    if (at === null) return err(OVERTAKEN)
    this.#step('closed')
    await this.#mark({ id, state: 'left', at })
    return ok(HAS_LEFT)
  }

  /** Nobody is left to ask: what is here may be less than what was decided, so it counts as put back from a backup. */
  async leaveLost(): Promise<Told> {
    const { cluster: mark } = await this.#inspect()
    if (mark === undefined || mark.state === 'left') return ok(IS_OUT)
    await this.#system.records({ kind: 'lost', accountId: this.#id })
    return ok(LOST)
  }

  get #id(): string {
    return this.account.account_id
  }

  #step(step: MoveStep): void {
    this.#moving.onStep?.(step)
  }

  #inspect(): Promise<StoreControlReplies['inspect']> {
    return this.#system.records({ kind: 'inspect', accountId: this.#id })
  }

  async #mark(mark: ClusterMark | null): Promise<void> {
    await this.#system.records({ kind: 'mark', accountId: this.#id, mark })
  }

  /** Undefined: the servers do not answer. */
  async #standing(): Promise<Standing | undefined> {
    const { epoch, cluster: mark } = await this.#inspect()
    const about = await this.#about()
    const { cluster } = this.#moving
    const { eligible } = this.account
    return about && { node: cluster.node, eligible, mark, epoch, about }
  }

  /** As long as the servers may need for an election. */
  async #about(): Promise<ClusterAbout | undefined> {
    const untilMs = performance.now() + this.#patienceMs
    for (;;) {
      const restMs = Math.max(1, untilMs - performance.now())
      const request = { kind: 'about', accountId: this.#id } as const
      const about = await this.#desk.ask(request, restMs).catch(() => undefined)
      if (about !== undefined || performance.now() >= untilMs) return about
      await delay(this.#limits.seek_again_ms)
    }
  }

  get #desk(): ClusterDesk {
    const { cluster } = this.#system
    if (cluster === undefined) throw new Error('this process is in no cluster')
    return cluster
  }

  get #limits(): Config['limits']['cluster'] {
    return this.#moving.config.limits.cluster
  }

  /** In which the servers elect a leader, and a node that was lost is found out. ms */
  get #patienceMs(): number {
    const { lease_ttl_ms, lease_margin_ms, lease_renew_ms } = this.#limits
    return 2 * (lease_ttl_ms + lease_margin_ms + lease_renew_ms)
  }

  /** What logs of this computer hold comes into the database, which nobody runs. */
  async #catchUp(): Promise<void> {
    const { epoch: expected, clientEpoch = 0 } = await this.#inspect()
    const accountId = this.#id
    const epoch = Math.max(expected, clientEpoch) + 1
    const owner = { pid: process.pid, socket: '' }
    const claim = { kind: 'claim', accountId, expected, epoch, owner } as const
    const { claimed } = await this.#system.records(claim)
    await this.#system.records({ kind: 'release', accountId })
    if (!claimed) throw new ServiceError('CONFLICT', OVERTAKEN)
  }

  /** The account is ours by its journal, and its database is at the end of it. */
  async #take(
    opensAt: number | undefined,
  ): Promise<Result<{ readonly ownership: ClusterOwnership; readonly epoch: number }, string>> {
    const accountId = this.#id
    const { node } = this.#moving.cluster
    const settled = Promise.withResolvers<Result<number, string>>()
    const desk = this.#desk
    const slot = this.#system.rows.take() ?? 0
    const ownership = new ClusterOwnership(
      accountId,
      {
        slot,
        node,
        // The others are stopped, and none of them is waited for.
        eligible: [node],
        isReal: isReal(this.account),
        control: (request: Parameters<ActorSystem['records']>[0]) => this.#system.records(request),
        admit: () => ok({ opensAt }),
        ask: (request: Parameters<ClusterDesk['ask']>[0]) => desk.ask(request),
        listen: (listener: SeatListener) =>
          desk.listen(accountId, { listener, served: NOT_SERVED }),
        line: desk.lineTo(accountId),
        examine: async () => undefined,
        stalled: () => undefined,
        limits: { settleMs: 1, seekAgainMs: this.#limits.seek_again_ms },
      } as ConstructorParameters<typeof ClusterOwnership>[1],
      {
        serve: () => Promise.reject(new ServiceError('STOPPING', NOT_HERE)),
        changed: (role) => {
          if (role.kind === 'owner') settled.resolve(ok(role.epoch))
          if (role.kind !== 'seeking' || role.problem?.code !== 'ACCOUNT_PARKED') return
          settled.resolve(err(role.problem.message))
        },
      },
    )
    const late = delay(this.#patienceMs, err<string>('late'), { ref: false })
    await ownership.start()
    const taken = await Promise.race([settled.promise, late])
    this.#system.rows.giveBack(slot)
    if (taken.ok) return ok({ ownership, epoch: taken.value })
    await ownership.release()
    if (taken.error !== 'late') return taken
    const end = (await this.#about())?.end
    return err(end === null || end === undefined ? SILENT : heldBy(end.node))
  }
}

const NOT_SERVED = {
  epoch: () => 0,
  answer: () => Promise.reject(new ServiceError('NOT_OWNER', NOT_HERE)),
  untold: () => undefined,
}
