import { electionWarning, type Timing, timingFaults } from '../cluster/protocol/timing.ts'
import type { ClusterConfig } from './cluster.ts'
import type { Limits } from './limits.ts'
import type { Problem } from './problems.ts'
import { type Path, pathText } from './tree.ts'

type ClusterLimits = Limits['cluster']
interface Sections {
  readonly accounts?: readonly { readonly eligible: readonly string[] }[] | undefined
  readonly cluster?: ClusterConfig | undefined
  readonly market?: { readonly source: string } | undefined
  readonly limits?: Limits | undefined
}

/** What the section says against itself, against the accounts, and what its times say against each other. */
export function clusterProblems({ accounts = [], cluster, market, limits }: Sections): Problem[] {
  return [
    ...(market?.source === 'cluster' && cluster === undefined ? [NO_NODES] : []),
    ...(market?.source === 'cluster' && cluster?.role === 'gateway' ? [NO_QUOTES] : []),
    ...accounts.flatMap(({ eligible }, index) => eligibleProblems(eligible, index, cluster)),
    ...(cluster === undefined ? [] : [...serverProblems(cluster), ...fileProblems(cluster)]),
    ...(limits === undefined ? [] : timeProblems(limits.cluster)),
  ]
}

const NO_NODES: Problem = {
  path: ['market', 'source'],
  message:
    '"cluster" 取其他节点的行情，但没有 "cluster" 一节；请补上或换一个来源 ("cluster" takes quotes of other nodes, but there is no section "cluster"; add it or name another source)',
}

const NO_QUOTES: Problem = {
  path: ['market', 'source'],
  message:
    '网关节点不运行账户也不听行情，不能写 "cluster"，请删除 (is "cluster" at a gateway, which runs no account and hears no quotes; leave it out)',
}

function eligibleProblems(
  eligible: readonly string[],
  index: number,
  cluster: ClusterConfig | undefined,
): Problem[] {
  const path = ['accounts', index, 'eligible']
  if (cluster === undefined) {
    if (eligible.length === 0) return []
    return [
      {
        path,
        message:
          '写了节点，但没有 "cluster" 一节；请补上或删除这一项 (names nodes, but there is no section "cluster"; add it or remove this)',
      },
    ]
  }
  if (eligible.length === 0) {
    const message = `为空，集群中没有节点会运行它；请写出有其交易客户端的节点，例如 ["${cluster.node}"] (is empty, so no node of the cluster would run it; name those with its trading client, such as ["${cluster.node}"])`
    return [{ path, message }]
  }
  if (cluster.role === 'gateway' && eligible.includes(cluster.node)) {
    const message = `写了本机，而 cluster.role 是 "gateway"；请写运行账户的节点，或改为 "node" (names this computer, but cluster.role is "gateway"; name nodes that run accounts, or make it "node")`
    return [{ path, message }]
  }
  return repeated(eligible, path)
}

/** A place of a list that says what an earlier one has said. */
const repeated = (texts: readonly string[], path: Path): Problem[] =>
  texts.flatMap((text, index) => {
    const first = texts.indexOf(text)
    return first === index
      ? []
      : [{ path: [...path, index], message: `与第 ${first} 项重复 (repeats entry ${first})` }]
  })

const isEncrypted = (server: string): boolean => server.startsWith('tls:')

function serverProblems({ servers, replicas }: ClusterConfig): Problem[] {
  const path = ['cluster', 'servers']
  const found = repeated(servers, path)
  if (new Set(servers.map(isEncrypted)).size > 1) {
    found.push({
      path,
      message:
        'tls:// 与 nats:// 混用，请全部加密或全部不加密 (mixes tls:// and nats://; encrypt all of them or none)',
    })
  }
  if (replicas > servers.length) {
    const message = `cluster.replicas 要求 ${replicas} 台服务器，这里只写了 ${servers.length} 台；请全部写出，才允许一台故障 (names ${servers.length} of the ${replicas} servers that cluster.replicas asks for; name each, so that one may fail)`
    found.push({ path, message })
  }
  if (replicas % 2 === 0) {
    const message = `${replicas} 份并不比 ${replicas - 1} 份更耐故障，请选 1、3 或 5 (${replicas} survives no more failures than ${replicas - 1}; choose 1, 3 or 5)`
    found.push({ path: ['cluster', 'replicas'], message })
  }
  return found
}

function fileProblems(cluster: ClusterConfig): Problem[] {
  const { servers, cert_file: cert, key_file: key, ca_file: ca } = cluster
  const found: Problem[] = []
  if ((cert === '') !== (key === '')) {
    const missing = cert === '' ? 'cert_file' : 'key_file'
    const message =
      '缺少这一项：证书与私钥须成对 (is missing; a certificate and its key belong together)'
    found.push({ path: ['cluster', missing], message })
  }
  const named = [['ca_file', ca] as const, ['cert_file', cert] as const].filter(
    ([, file]) => file !== '',
  )
  if (!servers.every(isEncrypted)) {
    const message =
      '用于加密，而 cluster.servers 里是 nats://，请改为 tls:// (is for encryption, but cluster.servers has nats://; write tls:// there)'
    found.push(...named.map(([name]) => ({ path: ['cluster', name], message })))
  }
  return found
}

/** The name in the file of each time that the protocol knows. That of a broker call is of its account. */
const NAMES = {
  ttlMs: 'lease_ttl_ms',
  renewMs: 'lease_renew_ms',
  marginMs: 'lease_margin_ms',
  engineMs: 'engine_timeout_ms',
  rankDelayMs: 'claim_rank_delay_ms',
  roomMs: 'room_ms',
  roomAgainMs: 'room_again_ms',
  intentTtlMs: 'intent_ttl_ms',
  brokerCacheMs: 'client_cache_ms',
  doubtMarginMs: 'doubt_margin_ms',
  retryMs: 'engine_retry_ms',
  tickMs: 'tick_ms',
} as const satisfies Record<Exclude<keyof Timing, 'brokerCallMs'>, keyof ClusterLimits>

/** The times of the protocol for an account whose calls end within this. */
export const timingOf = (limits: ClusterLimits, brokerCallMs: number): Timing => ({
  ttlMs: limits[NAMES.ttlMs],
  renewMs: limits[NAMES.renewMs],
  marginMs: limits[NAMES.marginMs],
  engineMs: limits[NAMES.engineMs],
  rankDelayMs: limits[NAMES.rankDelayMs],
  roomMs: limits[NAMES.roomMs],
  roomAgainMs: limits[NAMES.roomAgainMs],
  intentTtlMs: limits[NAMES.intentTtlMs],
  brokerCallMs,
  brokerCacheMs: limits[NAMES.brokerCacheMs],
  doubtMarginMs: limits[NAMES.doubtMarginMs],
  retryMs: limits[NAMES.retryMs],
  tickMs: limits[NAMES.tickMs],
})

/** No rule is about the length of a call to a trading client. */
const ANY_CALL_MS = 1

const pathOf = (field: keyof Timing): Path =>
  field === 'brokerCallMs' ? ['accounts'] : ['limits', 'cluster', NAMES[field]]

const timeProblems = (limits: ClusterLimits): Problem[] =>
  timingFaults(timingOf(limits, ANY_CALL_MS)).map(({ field, text }) => ({
    path: pathOf(field),
    message: text,
  }))

const isHere = (server: string): boolean => /\/\/(localhost|127\.|\[::1\])/.test(server)

/** Nothing here is a refusal. */
export function clusterWarnings({ cluster, limits }: Sections): string[] {
  if (cluster === undefined || limits === undefined) return []
  const { servers, nkey_file: nkey, replicas } = cluster
  const found: string[] = []
  if (replicas === 1) {
    found.push(
      'cluster.replicas 是 1：没有副本，一台故障就停，只宜试用 (cluster.replicas is 1: nothing is kept twice and no server may fail; only to try it out)',
    )
  }
  const slow = electionWarning(timingOf(limits.cluster, ANY_CALL_MS))
  if (slow !== undefined) found.push(`${pathText(pathOf(slow.field))}: ${slow.text}`)
  if (!servers.every((server) => isEncrypted(server) || isHere(server))) {
    found.push(
      'cluster.servers 用 nats:// 连接其他电脑，全部明文传送 (cluster.servers has nats:// to other computers: everything travels in clear text)',
    )
  }
  if (nkey === '' && !servers.every(isHere)) {
    found.push(
      'cluster.nkey_file 为空，服务器分不清各台电脑；请给每台各自的用户 (cluster.nkey_file is empty: the servers cannot tell this computer from any other; give each its own user)',
    )
  }
  const { journal_waiting_max: waiting } = limits.cluster
  const { steps_in_flight_max: underWay } = limits.runtime
  if (waiting <= underWay) {
    found.push(
      `limits.cluster.journal_waiting_max 是 ${waiting}，而一个账户可能有 ${underWay} 个决定在途（limits.runtime.steps_in_flight_max），被拒一个就要重启，请调大 (limits.cluster.journal_waiting_max is ${waiting}: an account may have ${underWay} decisions under way (limits.runtime.steps_in_flight_max), and begins anew when one of them is refused; make it larger)`,
    )
  }
  const { body_bytes_max: longest } = limits.http
  if (longest > limits.cluster.record_bytes_max) {
    found.push(
      `limits.http.body_bytes_max 是 ${longest}：超过 limits.cluster.record_bytes_max 的请求到不了其他节点运行的账户 (limits.http.body_bytes_max is ${longest}: a request longer than limits.cluster.record_bytes_max does not get to an account that another node runs)`,
    )
  }
  return found
}
