import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { jetstreamManager } from '@nats-io/jetstream'
import { errors, type NatsConnection } from '@nats-io/transport-node'
import { readControl, readEligible } from '../../node/encoded.ts'
import { isLive } from '../../protocol/peers.ts'
import type { NodeRecord } from '../../protocol/records.ts'
import { CONTROL_BUCKET } from '../../protocol/subjects.ts'
import type { Runnable } from '../../rules-apart.ts'
import { ConnectionError, type ConnectionSettings, openConnection } from '../connect.ts'
import { bucketStream, Kv, keyPrefix } from '../kv.ts'
import type { Line } from '../line.ts'
import type {
  CertificateFacts,
  ClockFacts,
  CopyFacts,
  InnerFacts,
  NodeFacts,
  RightFacts,
  ServerFacts,
} from './facts.ts'

const quiet = (): void => undefined
const NODE_KEYS = 'n.*'
const REGISTRATION_KEYS = 'r.*'

/** Asks one server alone, whatever the others say. Ends within the limits of the connection and this one. */
export async function askServer(
  settings: ConnectionSettings,
  server: string,
  timeoutMs: number,
): Promise<ServerFacts> {
  const none = { server, version: '', hasJetStream: false, clock: undefined }
  let connection: NatsConnection
  try {
    connection = await openConnection({ ...settings, servers: [server] }, quiet)
  } catch (error) {
    if (error instanceof ConnectionError) return { ...none, error }
    throw error
  }
  try {
    const { version = '', jetstream = false } = connection.info ?? {}
    const clock = await clockOf(connection, timeoutMs)
    return { server, version, hasJetStream: jetstream, clock }
  } finally {
    await connection.close()
  }
}

async function clockOf(
  connection: NatsConnection,
  timeoutMs: number,
): Promise<ClockFacts | undefined> {
  const sentMs = Date.now()
  try {
    const answer = await connection.request('$SYS.REQ.USER.INFO', '', { timeout: timeoutMs })
    const gotMs = Date.now()
    const said = answer.json<{ readonly server?: { readonly time?: string } }>().server?.time
    const serverMs = Date.parse(said ?? '')
    if (Number.isNaN(serverMs)) return undefined
    return {
      differenceMs: Math.round(serverMs - (sentMs + gotMs) / 2),
      uncertainMs: Math.ceil((gotMs - sentMs) / 2),
    }
  } catch {
    return undefined
  }
}

/** The copies of each stream. Errors  those of the client. */
export async function askCopies(
  connection: NatsConnection,
  names: readonly string[],
  timeoutMs: number,
): Promise<CopyFacts[]> {
  const { streams } = await jetstreamManager(connection, { checkAPI: false, timeout: timeoutMs })
  const found: CopyFacts[] = []
  for (const stream of names) {
    const { cluster, state, config } = await streams.info(stream)
    const leader = cluster?.leader
    const others = cluster?.replicas ?? []
    found.push({
      stream,
      // A server that stands alone has no cluster, and leads.
      leader: cluster === undefined ? (connection.info?.server_name ?? '') : leader || undefined,
      copies: [
        { server: leader ?? '', isCurrent: true, isOffline: false, lag: 0 },
        ...others.map(({ name, current, offline = false, lag = 0 }) => ({
          server: name,
          isCurrent: current,
          isOffline: offline,
          lag,
        })),
      ],
      bytes: state.bytes,
      bytesMax: config.max_bytes,
    })
  }
  return found
}

/** What each node that has not left in order says of that by which it runs an account, by their names. Errors  those of the client. */
export async function askNodes(line: Line, timeoutMs: number): Promise<NodeFacts[]> {
  const found: NodeFacts[] = []
  for (const [key, bytes] of await controlEntries(line, NODE_KEYS, timeoutMs)) {
    const record = readControl(key, bytes) as NodeRecord | undefined
    if (record === undefined || !isLive(record)) continue
    const { node, v: version, years: days, rules, otherClient } = record
    found.push({ node, version, days, rules, otherClient })
  }
  return found
}

/** Who may run the accounts that were registered at run time. Errors  those of the client. */
export async function askRegistered(line: Line, timeoutMs: number): Promise<Runnable[]> {
  const entries = await controlEntries(line, REGISTRATION_KEYS, timeoutMs)
  return entries.map(([, bytes]) => ({ eligible: readEligible(bytes) }))
}

/** What stands under such keys, by the keys in their order. */
async function controlEntries(
  line: Line,
  keys: string,
  timeoutMs: number,
): Promise<[key: string, bytes: Uint8Array][]> {
  const { streams } = await jetstreamManager(line.connection, {
    checkAPI: false,
    timeout: timeoutMs,
  })
  const prefix = keyPrefix(CONTROL_BUCKET)
  const { state } = await streams.info(bucketStream(CONTROL_BUCKET), {
    subjects_filter: `${prefix}${keys}`,
  })
  const kv = new Kv(line, CONTROL_BUCKET)
  const found: [string, Uint8Array][] = []
  for (const subject of Object.keys(state.subjects ?? {}).sort()) {
    const key = subject.slice(prefix.length)
    const entry = await kv.read(key, timeoutMs)
    if (entry !== undefined) found.push([key, entry.bytes])
  }
  return found
}

/** What is tried, on subjects that nobody uses: where a server lets it through, nothing happens. */
export interface Tries {
  readonly node: string
  /** It runs no account, so it has nothing to write into a journal. */
  readonly isGateway: boolean
}

interface Tried {
  readonly kind: 'publish' | 'subscribe'
  readonly subject: string
  readonly shouldBeRefused: boolean
}

function triesOf({ node, isGateway }: Tries): Tried[] {
  // No node has it: a name is at most 32 characters.
  const other = 'nobody-nobody-nobody-nobody-nobody'
  const publish = (subject: string, shouldBeRefused: boolean): Tried => ({
    kind: 'publish',
    subject,
    shouldBeRefused,
  })
  const subscribe = (subject: string, shouldBeRefused: boolean): Tried => ({
    kind: 'subscribe',
    subject,
    shouldBeRefused,
  })
  return [
    publish('$JS.API.STREAM.PURGE.STEWARD_NONE', true),
    publish('$JS.API.STREAM.DELETE.STEWARD_NONE', true),
    publish('$JS.API.STREAM.PEER.REMOVE.STEWARD_NONE', true),
    publish('$JS.API.DIRECT.GET.STEWARD_NONE', true),
    subscribe(`n.${other}.>`, true),
    subscribe(`_INBOX_${other}.>`, true),
    subscribe('$KV.STEWARD_NONE.>', true),
    // There are four shards: no stream listens to a ninth.
    publish('j.9.nobody', isGateway),
    publish('$JS.API.STREAM.INFO.STEWARD_NONE', false),
    publish('$JS.API.STREAM.MSG.GET.STEWARD_NONE', false),
    // Nothing comes of it: a consumer of what is not said.
    publish('$JS.API.CONSUMER.CREATE.KV_CTL', false),
    subscribe('ev.j.9.nobody', false),
    subscribe(`_INBOX_${node}.none`, false),
    ...(isGateway ? [] : [subscribe(`n.${node}.none.>`, false)]),
  ]
}

/** Tries all of it, and hears what is refused. Errors  those of the client. */
export async function askRights(
  connection: NatsConnection,
  tries: Tries,
  timeoutMs: number,
): Promise<RightFacts[]> {
  const refused = new Set<string>()
  const states = connection.status()
  const hearing = (async () => {
    for await (const state of states) {
      if (state.type !== 'error') continue
      const { error } = state
      if (error instanceof errors.PermissionViolationError) {
        refused.add(`${error.operation} ${error.subject}`)
      }
    }
  })()
  const wanted = triesOf(tries)
  for (const { kind, subject } of wanted) {
    if (kind === 'publish') connection.publish(subject, '{}')
    else connection.subscribe(subject, { callback: quiet })
  }
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new errors.TimeoutError()), timeoutMs)
  try {
    // The answer to a question that was asked last comes after all refusals.
    await Promise.race([connection.flush(), late.promise])
  } finally {
    clearTimeout(timer)
    await connection.close()
  }
  await hearing
  return wanted.map(({ kind, subject, shouldBeRefused }) => ({
    what: `${kind} ${subject}`,
    isRefused: refused.has(`${kind === 'publish' ? 'publish' : 'subscription'} ${subject}`),
    shouldBeRefused,
  }))
}

interface Varz {
  readonly server?: { readonly name?: string; readonly ver?: string }
  readonly data?: {
    readonly jetstream?: { readonly config?: { readonly sync_always?: boolean } }
    readonly tls_cert_not_after?: string
    readonly cluster?: { readonly tls_cert_not_after?: string }
  }
}

/** Asks all servers about themselves, as the operator. It ends when all have answered, or with the limit. */
export async function askOperator(
  connection: NatsConnection,
  serversWanted: number,
  timeoutMs: number,
): Promise<InnerFacts[]> {
  const answers = await connection.requestMany('$SYS.REQ.SERVER.PING.VARZ', '', {
    strategy: 'count',
    maxMessages: serversWanted,
    maxWait: timeoutMs,
  })
  const found: InnerFacts[] = []
  for await (const answer of answers) {
    const { server = {}, data = {} } = answer.json<Varz>()
    const ends = [data.tls_cert_not_after, data.cluster?.tls_cert_not_after]
    found.push({
      name: server.name ?? '?',
      version: server.ver ?? '',
      hasJetStream: data.jetstream?.config !== undefined,
      isSyncAlways: data.jetstream?.config?.sync_always === true,
      certificateEnds: ends.map((end) => Date.parse(end ?? '')).filter((end) => end > 0),
    })
  }
  return found.sort((a, b) => a.name.localeCompare(b.name))
}

/** When the certificates of this computer end. */
export const readCertificates = (
  files: readonly (readonly [name: string, file: string])[],
): CertificateFacts[] =>
  files
    .filter(([, file]) => file !== '')
    .map(([name, file]) => ({ name, file, endMs: endOf(file) }))

function endOf(file: string): number | undefined {
  try {
    const endMs = Date.parse(new X509Certificate(readFileSync(file)).validTo)
    return Number.isNaN(endMs) ? undefined : endMs
  } catch {
    return undefined
  }
}
