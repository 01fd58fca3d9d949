import { type Finding, fail } from '../../../domain/finding.ts'
import { CONTROL_BUCKET } from '../../protocol/subjects.ts'
import { ConnectionError, type ConnectionSettings } from '../connect.ts'
import { bucketStream } from '../kv.ts'
import { Line } from '../line.ts'
import {
  examineStreams,
  isWithoutRoom,
  provision,
  roomMib,
  type StreamSettings,
} from '../provision.ts'
import { type PurgeOptions, purgeJournals, purgeSnapshots, streamBytes } from '../purge.ts'
import {
  askCopies,
  askNodes,
  askOperator,
  askRegistered,
  askRights,
  askServer,
  readCertificates,
  type Tries,
} from './ask.ts'
import {
  byteFindings,
  certificateFindings,
  copyFindings,
  type ExamineBounds,
  innerFindings,
  mendOf,
  noRoomFinding,
  purgeFinding,
  rightFindings,
  serverFindings,
  streamFindings,
} from './judge.ts'
import { clientFindings, daysFindings, type OwnFile, rulesFindings } from './judge-nodes.ts'

export interface Examined {
  /** As this computer connects. */
  readonly settings: ConnectionSettings
  /** Seed of the operator; undefined: what only the servers know stays unknown. */
  readonly operatorNkeyFile: string | undefined
  readonly streams: StreamSettings
  readonly tries: Tries
  readonly bounds: ExamineBounds
  /** What this computer is configured with. */
  readonly own: OwnFile & { readonly days: string }
  /** For each question. ms */
  readonly timeoutMs: number
  readonly nowMs: number
}

type Say = (found: readonly Finding[]) => void

/** Users of deploy/nats/users.conf whose names their inboxes bear. */
const PROVISIONER = 'provisioner'
const OPERATOR = 'operator'

/** The same servers, as another of their users. */
const as = (user: string, settings: ConnectionSettings, nkeyFile: string): ConnectionSettings => ({
  ...settings,
  nkeyFile,
  name: `steward-${user}`,
  inboxPrefix: `_INBOX_${user}`,
})

/** Looks at everything that a node needs of its servers, and changes nothing there. It always ends. */
export async function examineCluster(examined: Examined, say: Say): Promise<void> {
  const { settings, bounds, timeoutMs, nowMs } = examined
  const { caFile = '', certFile = '' } = settings.tls ?? {}
  const certificates = readCertificates([
    ['cluster.ca_file', caFile],
    ['cluster.cert_file', certFile],
  ])
  say(certificateFindings(certificates, { ...bounds, nowMs }))
  let hasJetStream = false
  for (const server of settings.servers) {
    const facts = await askServer(settings, server, timeoutMs)
    hasJetStream ||= facts.hasJetStream
    say(serverFindings(facts, bounds))
  }
  if (hasJetStream) await examineContents(examined, say)
  await examineInside(examined, say)
}

async function examineContents(examined: Examined, say: Say): Promise<void> {
  const { settings, streams, bounds, tries, own, timeoutMs, nowMs } = examined
  await onLine(examined, { name: 'streams', settings, say }, async (line) => {
    const found = await examineStreams(line, streams, timeoutMs)
    say(streamFindings(found))
    const there = found.filter(({ state }) => state !== 'missing').map(({ stream }) => stream)
    const copies = await askCopies(line.connection, there, timeoutMs)
    say(copies.flatMap((each) => copyFindings(each, bounds)))
    if (there.includes(bucketStream(CONTROL_BUCKET))) {
      const nodes = await askNodes(line, timeoutMs)
      say(daysFindings(nodes, { ...own, nowMs }))
      const accounts = [...own.accounts, ...(await askRegistered(line, timeoutMs))]
      say(rulesFindings(nodes, { ...own, accounts }))
      say(clientFindings(nodes))
    }
  })
  await onLine(examined, { name: 'rights', settings, say }, async (line) => {
    say(rightFindings(await askRights(line.connection, tries, timeoutMs)))
  })
}

async function examineInside(examined: Examined, say: Say): Promise<void> {
  const { settings, operatorNkeyFile, bounds, timeoutMs, nowMs } = examined
  const wanted = { ...bounds, nowMs, serversWanted: settings.servers.length }
  if (operatorNkeyFile === undefined) return say(innerFindings(undefined, wanted))
  const operator = as(OPERATOR, settings, operatorNkeyFile)
  await onLine(examined, { name: 'servers', settings: operator, say }, async (line) => {
    const found = await askOperator(line.connection, settings.servers.length, timeoutMs)
    say(innerFindings(found, wanted))
  })
}

/**
 * Makes what is not there, and says what differs; what is there stays as it is. Without a seed of its own it is the
 * user of this computer who tries. It always ends.
 */
export async function initCluster(
  examined: Pick<Examined, 'settings' | 'streams' | 'timeoutMs'>,
  nkeyFile: string | undefined,
  say: Say,
): Promise<void> {
  const { settings, streams, timeoutMs } = examined
  const provisioner = nkeyFile === undefined ? settings : as(PROVISIONER, settings, nkeyFile)
  const asked = { name: 'streams', settings: provisioner, say }
  await onLine({ timeoutMs }, asked, async (line) => {
    const made = await provision(line, streams, timeoutMs).catch((error: unknown) => {
      if (!isWithoutRoom(error)) throw error
      say([noRoomFinding(wordsOf(error), roomMib(streams))])
    })
    if (made !== undefined) say(streamFindings(made))
  })
}

/** Purges what snapshots cover, and what was left of them: a finding for each account, and what the streams take. */
export async function purgeCluster(
  examined: Pick<Examined, 'settings' | 'timeoutMs'> & PurgeOptions,
  nkeyFile: string | undefined,
  say: Say,
): Promise<void> {
  const { settings, timeoutMs } = examined
  const provisioner = nkeyFile === undefined ? settings : as(PROVISIONER, settings, nkeyFile)
  const asked = { name: 'journals', settings: provisioner, say }
  await onLine({ timeoutMs }, asked, async (line) => {
    const before = await streamBytes(line, timeoutMs)
    for await (const purged of purgeJournals(line, examined)) say([purgeFinding(purged)])
    await purgeSnapshots(line, examined)
    say(byteFindings(before, await streamBytes(line, timeoutMs)))
  })
}

interface Asked {
  readonly name: string
  readonly settings: ConnectionSettings
  readonly say: Say
}

const REQUESTS_MAX = 16

/** One connection for some questions. A question that failed is a finding, and ends nothing else. */
async function onLine(
  { timeoutMs }: Pick<Examined, 'timeoutMs'>,
  { name, settings, say }: Asked,
  ask: (line: Line) => Promise<void>,
): Promise<void> {
  const limits = { requestsMax: REQUESTS_MAX, drainMs: timeoutMs, watchedMax: 1 }
  let line: Line | undefined
  try {
    line = await Line.open(settings, limits, () => undefined)
    await ask(line)
  } catch (error) {
    say([failedFinding(name, error)])
  } finally {
    await line?.connection.close()
  }
}

function failedFinding(name: string, error: unknown): Finding {
  if (error instanceof ConnectionError) return fail(name, error.message, mendOf(error.fault))
  return fail(
    name,
    `服务器没有给出答复 (the servers did not answer) “${wordsOf(error)}”`,
    '多数服务器在线、且已选出领导者后再检查；若拒绝的是权限，见 deploy/nats/users.conf (look again when most servers are up and have a leader; where a right is refused, see deploy/nats/users.conf)',
  )
}

const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/[“”]/g, "'")
