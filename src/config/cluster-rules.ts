import type { ClusterConfig } from './cluster.ts'
import type { Limits } from './limits.ts'
import type { Problem } from './problems.ts'
import type { Path } from './tree.ts'

type ClusterLimits = Limits['cluster']
interface Sections {
  readonly accounts?: readonly { readonly eligible: readonly string[] }[] | undefined
  readonly cluster?: ClusterConfig | undefined
  readonly limits?: Limits | undefined
}

/** What the section says against itself, against the accounts, and what its times say against each other. */
export function clusterProblems({ accounts = [], cluster, limits }: Sections): Problem[] {
  return [
    ...accounts.flatMap(({ eligible }, index) => eligibleProblems(eligible, index, cluster)),
    ...(cluster === undefined ? [] : [...serverProblems(cluster), ...fileProblems(cluster)]),
    ...(limits === undefined ? [] : timeProblems(limits.cluster)),
  ]
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
      { path, message: 'names nodes, but there is no section "cluster"; add it or remove this' },
    ]
  }
  if (eligible.length === 0) {
    const message = `is empty, so no node of the cluster would run it; name those with its trading client, such as ["${cluster.node}"]`
    return [{ path, message }]
  }
  return repeated(eligible, path)
}

/** A place of a list that says what an earlier one has said. */
const repeated = (texts: readonly string[], path: Path): Problem[] =>
  texts.flatMap((text, index) => {
    const first = texts.indexOf(text)
    return first === index ? [] : [{ path: [...path, index], message: `repeats entry ${first}` }]
  })

const isEncrypted = (server: string): boolean => server.startsWith('tls:')

function serverProblems({ servers, replicas }: ClusterConfig): Problem[] {
  const path = ['cluster', 'servers']
  const found = repeated(servers, path)
  if (new Set(servers.map(isEncrypted)).size > 1) {
    found.push({ path, message: 'mixes tls:// and nats://; encrypt all of them or none' })
  }
  if (replicas > servers.length) {
    const message = `names ${servers.length} of the ${replicas} servers that cluster.replicas asks for; name each, so that one may fail`
    found.push({ path, message })
  }
  if (replicas % 2 === 0) {
    const message = `${replicas} survives no more failures than ${replicas - 1}; choose 1, 3 or 5`
    found.push({ path: ['cluster', 'replicas'], message })
  }
  return found
}

function fileProblems(cluster: ClusterConfig): Problem[] {
  const { servers, cert_file: cert, key_file: key, ca_file: ca } = cluster
  const found: Problem[] = []
  if ((cert === '') !== (key === '')) {
    const missing = cert === '' ? 'cert_file' : 'key_file'
    const message = 'is missing; a certificate and its key belong together'
    found.push({ path: ['cluster', missing], message })
  }
  const named = [['ca_file', ca] as const, ['cert_file', cert] as const].filter(
    ([, file]) => file !== '',
  )
  if (!servers.every(isEncrypted)) {
    const message = 'is for encryption, but cluster.servers has nats://; write tls:// there'
    found.push(...named.map(([name]) => ({ path: ['cluster', name], message })))
  }
  return found
}

/** A time, and what it must exceed. */
interface Exceeds {
  readonly name: keyof ClusterLimits
  readonly least: (limits: ClusterLimits) => number
  readonly why: string
}

const EXCEEDS: readonly Exceeds[] = [
  {
    name: 'lease_renew_ms',
    least: ({ lease_timeout_ms: timeout }) => timeout,
    why: 'lease_timeout_ms, because one renewal at most is under way',
  },
  {
    name: 'lease_ttl_ms',
    least: ({ lease_margin_ms: margin, lease_renew_ms: renew }) => 2 * margin + 2 * renew,
    why: 'twice lease_margin_ms and twice lease_renew_ms, or one lost renewal would stop the node',
  },
  {
    name: 'lease_ttl_ms',
    least: ({ silent_renewals_max: renewals, lease_renew_ms: renew }) => renewals * renew,
    why: 'silent_renewals_max times lease_renew_ms, or a node whose own watch is dead would fence the others',
  },
  {
    name: 'lease_ttl_ms',
    least: ({ intent_ttl_ms: intent, lease_margin_ms: margin }) => intent + margin,
    why: 'intent_ttl_ms and lease_margin_ms, or no order would have its time',
  },
  {
    name: 'claim_rank_delay_ms',
    least: ({ append_timeout_ms: timeout }) => timeout,
    why: 'append_timeout_ms, or the next-best node would claim while the best one still does',
  },
  {
    name: 'intent_ttl_ms',
    least: ({ append_timeout_ms: timeout }) => timeout,
    why: 'append_timeout_ms, or an order would be too late by the time that it is in the journal',
  },
]

const timeProblems = (limits: ClusterLimits): Problem[] =>
  EXCEEDS.flatMap(({ name, least, why }) => {
    const bound = least(limits)
    if (limits[name] > bound) return []
    return [
      { path: ['limits', 'cluster', name], message: `must exceed ${bound}: ${why}; raise it` },
    ]
  })

/** Servers choose a new leader in 4 to 9 s, and nothing is renewed meanwhile. */
const ELECTION_MS = 9_100

const isHere = (server: string): boolean => /\/\/(localhost|127\.|\[::1\])/.test(server)

/** Nothing here is a refusal. */
export function clusterWarnings({ cluster, limits }: Sections): string[] {
  if (cluster === undefined || limits === undefined) return []
  const { servers, nkey_file: nkey, replicas } = cluster
  const { lease_ttl_ms: ttlMs, lease_renew_ms: renewMs } = limits.cluster
  const found: string[] = []
  if (replicas === 1) {
    found.push(
      'cluster.replicas is 1: nothing is kept twice and no server may fail; only to try it out',
    )
  }
  if (ttlMs <= ELECTION_MS + 2 * renewMs) {
    found.push(
      `limits.cluster.lease_ttl_ms is ${ttlMs}: trading stops whenever the servers choose a new leader, which takes up to ${ELECTION_MS} ms; above ${ELECTION_MS + 2 * renewMs} it goes on`,
    )
  }
  if (!servers.every((server) => isEncrypted(server) || isHere(server))) {
    found.push('cluster.servers has nats:// to other computers: everything travels in clear text')
  }
  if (nkey === '' && !servers.every(isHere)) {
    found.push(
      'cluster.nkey_file is empty: the servers cannot tell this computer from any other; give each its own user',
    )
  }
  return found
}
