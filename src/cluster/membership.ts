import { err, ok, type Result } from '../domain/result.ts'
import type { ClusterAbout } from '../protocol/cluster.ts'
import type { ClusterMark } from '../protocol/store.ts'

/** How an account stands here and at the servers, when this node is to take part in running it. */
export interface Standing {
  readonly node: string
  /** Nodes that may run it. */
  readonly eligible: readonly string[]
  /** Of the database here. */
  readonly mark: ClusterMark | undefined
  /** Epoch of the database here: above 0 the account has lived here. */
  readonly epoch: number
  readonly about: ClusterAbout
}

/** What a node does with an account that it may run. */
export interface Admitted {
  /** Behind which record its journal may be opened here; undefined: it is not opened here. */
  readonly opensAt: number | undefined
  /** It must be in the database before anything is claimed; undefined: it is there. */
  readonly mark?: ClusterMark
}

/**
 * Why an account is not run here as one of the cluster, in both languages. `isLasting`: a person has to do something;
 * else it may come right by itself.
 */
export interface NotAdmitted {
  readonly isLasting: boolean
  readonly text: string
}

/**
 * Whether a node that starts may claim an account. Only an account that has lived nowhere joins by itself, and only
 * at the first of its nodes: the others cannot know whether it has lived there.
 */
export function admitStart(standing: Standing): Result<Admitted, NotAdmitted> {
  const { node, eligible, mark, epoch, about } = standing
  if (!eligible.includes(node)) return ok({ opensAt: undefined })
  const why = whyNotHere(standing)
  if (why !== undefined) return err({ isLasting: true, text: why })
  const { end, isKept, id } = about
  if (end?.isLeft === true) return err({ isLasting: false, text: CLOSED })
  const isFirst = end === null && epoch === 0
  if (isFirst && (isKept || eligible[0] !== node)) {
    return err({ isLasting: false, text: notOpened(eligible) })
  }
  return ok({
    opensAt: isFirst ? 0 : undefined,
    ...(mark === undefined && { mark: { id, state: 'in', at: 0 } }),
  })
}

/** What only a person can settle, by a command or by looking at the servers. */
function whyNotHere({ mark, epoch, about }: Standing): string | undefined {
  const { end, id } = about
  if (mark === undefined) return epoch > 0 ? HAS_HISTORY : undefined
  if (mark.state === 'left') return HAS_LEFT
  if (mark.id !== id) return foreign(mark.id, id)
  if (mark.state === 'joining') return JOINING
  if (end === null) return epoch > 0 ? LOST : undefined
  return isClosedBy(end, mark) ? LEAVING : undefined
}

/** What `steward cluster join` has to do: nothing, the end of an earlier attempt, or all of it. */
export type JoinPlan =
  | { readonly is: 'done' }
  | { readonly is: 'open'; readonly opensAt: number; readonly handsOver: boolean }
  /** Its journal was opened by us before; only the database has not heard of it. */
  | { readonly is: 'finish' }

/** Whether the account of this database may become the one of the cluster. */
export function planJoin(standing: Standing): Result<JoinPlan, string> {
  const { node, eligible, mark, about } = standing
  if (!eligible.includes(node)) return err(NOT_ELIGIBLE)
  if (mark === undefined || mark.state === 'left') return planEntry(standing)
  if (mark.id !== about.id) return err(foreign(mark.id, about.id))
  if (mark.state === 'joining') return planRest(standing, mark)
  const why = whyNotHere(standing)
  if (why !== undefined) return err(why)
  const { end } = about
  if (end === null) return planEntry(standing)
  return end.isLeft ? err(CLOSED) : ok({ is: 'done' })
}

/** Of a joining that was stopped half way. */
function planRest(standing: Standing, mark: ClusterMark): Result<JoinPlan, string> {
  const { end } = standing.about
  if (end === null || isStill(end, mark)) return planEntry(standing)
  // What was opened, was so behind what we have handed over; by whom, its books say.
  return end.isLeft ? err(CLOSED) : ok({ is: 'finish' })
}

/** Of an account that is not in the cluster, or half way. */
function planEntry({ eligible, mark, epoch, about }: Standing): Result<JoinPlan, string> {
  const { end, id, isKept } = about
  const opensAt = end?.seq ?? 0
  const isOurs = mark?.id === id && mark.at === opensAt
  if (end !== null && !isOurs) return err(taken(end.node))
  // What another computer has handed over would become the history of this one.
  if (epoch === 0 && isKept) return err(notOpened(eligible))
  return ok({ is: 'open', opensAt, handsOver: epoch > 0 })
}

/** What `steward cluster leave` has to do. */
export type LeavePlan =
  | { readonly is: 'done' }
  /** Its journal was never opened: the mark is taken away, and that is all. */
  | { readonly is: 'unmark' }
  /** It stands in the journal already, behind this record. */
  | { readonly is: 'finish'; readonly at: number }
  | { readonly is: 'close' }

/** Whether the account may be taken out of its cluster, to be run from this database alone. */
export function planLeave(standing: Standing): Result<LeavePlan, string> {
  const { node, eligible, mark, epoch, about } = standing
  const { end, id } = about
  if (mark === undefined || mark.state === 'left') return ok({ is: 'done' })
  if (mark.id !== id) return err(foreign(mark.id, id))
  if (end === null) return mark.state !== 'joining' && epoch > 0 ? err(LOST) : ok({ is: 'unmark' })
  if (mark.state === 'joining' && isStill(end, mark)) return ok({ is: 'finish', at: end.seq })
  if (isClosedBy(end, mark)) return ok({ is: 'finish', at: end.seq })
  if (end.isLeft) return err(CLOSED)
  return eligible.includes(node) ? ok({ is: 'close' }) : err(NOT_ELIGIBLE)
}

type End = NonNullable<ClusterAbout['end']>

/** Closed, and by the leaving that this database has noted before. */
const isClosedBy = (end: End | null, mark: ClusterMark | undefined): boolean =>
  end?.isLeft === true && mark?.state === 'leaving' && mark.at === end.epoch

/** Closed as it was when the joining that this database has noted began. */
const isStill = (end: End, mark: ClusterMark): boolean => end.isLeft && end.seq === mark.at

const foreign = (ours: string, theirs: string): string =>
  `该账户属于集群 ${ours}，而这些服务器是集群 ${theirs}：请核对 cluster.servers；原集群已永久失去时用 steward cluster leave --force-lost，再加入这一个 (this account belongs to the cluster ${ours}, these servers are the cluster ${theirs}: check cluster.servers; where the former is lost for good, use steward cluster leave --force-lost and join this one)`

const HAS_HISTORY =
  '该账户在本机已有记录，尚未加入集群：请停止服务，在这台电脑上运行 steward cluster join (the account has lived on this computer and is not in the cluster yet: stop the service and run steward cluster join here)'

const HAS_LEFT =
  '该账户已从这台电脑退出集群：要再加入，停止服务并运行 steward cluster join；要单独运行，去掉 cluster 一节 (the account has left the cluster from this computer: to take it in again, stop the service and run steward cluster join; to run it alone, remove the section "cluster")'

const JOINING =
  '加入集群没有做完：请停止服务，再运行一次 steward cluster join (joining the cluster was not finished: stop the service and run steward cluster join again)'

const LEAVING =
  '退出集群没有做完：请停止服务，再运行一次 steward cluster leave (leaving the cluster was not finished: stop the service and run steward cluster leave again)'

const CLOSED =
  '该账户已在另一台电脑上退出集群，这里不运行它；只能由那台电脑再加入 (the account has left the cluster at another computer and is not run here; only that computer can take it in again)'

const LOST =
  'JOURNAL_REGRESSED: 集群服务器上没有该账户的日志，而本机有它的记录：停止交易，核对券商与服务器后再决定 (the servers have no journal of this account, and this computer has its history: nothing is traded; compare with the broker and look at the servers first)'

const NOT_ELIGIBLE =
  '本节点不在该账户的 eligible 中：请在能运行它的电脑上执行 (this node is not in "eligible" of the account: do it on a computer that may run it)'

const notOpened = ([first = '?']: readonly string[]): string =>
  `集群中还没有该账户：第一次由 eligible 的第一个节点 ${first} 开始；若别处已有它的记录，请在那里运行 steward cluster join (the cluster does not have this account yet: ${first}, the first of "eligible", begins it; where it has lived elsewhere, run steward cluster join there)`

const taken = (node: string): string =>
  `集群中已有该账户的日志（最后由 ${node} 写入），与本机的记录不是同一份：若以集群为准，把本机数据目录中该账户的文件夹移走后再启动 (the cluster has a journal of this account, written by ${node} last, and it is not the history of this computer: where the cluster is right, move the folder of the account out of the data folder here, then start)`
