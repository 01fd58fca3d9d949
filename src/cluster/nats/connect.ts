import { readFileSync } from 'node:fs'
import {
  type ConnectionOptions,
  connect,
  errors,
  type NatsConnection,
  nkeyAuthenticator,
  type Status,
} from '@nats-io/transport-node'
import { isServerTaken, olderServerText } from './server-floor.ts'

/** Bounds of one connection. Times in milliseconds. */
export interface ConnectionLimits {
  /** One attempt at one server: name, greeting, encryption and proof of who we are. */
  readonly connectTimeoutMs: number
  /** Wait before the same server is tried again. */
  readonly reconnectWaitMs: number
  /** A sign of life is asked for this often … */
  readonly pingMs: number
  /** … and with this many unanswered the connection counts as dead. */
  readonly pingsUnansweredMax: number
}

export interface ConnectionSettings {
  /** Every server of the cluster, `nats://host:port` or `tls://host:port`. Others are never dialed. */
  readonly servers: readonly string[]
  /** What monitoring of the servers shows. */
  readonly name: string
  /** Answers to this user arrive below it, and no other user may listen there. */
  readonly inboxPrefix: string
  /** A file with the seed of a user (`SU…`). */
  readonly nkeyFile?: string | undefined
  /** Files; they are read again at each attempt, so that renewed certificates count. Absent means no encryption. */
  readonly tls?: TlsFiles | undefined
  /** What is published here is not heard here, whatever is listened to. */
  readonly noEcho?: boolean
  /** A node tries for ever, a command not at all. */
  readonly reconnects: 'forever' | 'never'
  readonly limits: ConnectionLimits
}

export interface TlsFiles {
  readonly caFile?: string | undefined
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
}

/** What becomes of a connection. `server` is `host:port`. */
export type ConnectionState =
  | { readonly state: 'connected'; readonly server: string; readonly version: string }
  | { readonly state: 'disconnected'; readonly server: string }
  | { readonly state: 'reconnecting' }
  /** The server is about to stop; the client moves to another. */
  | { readonly state: 'leaving'; readonly server: string }
  /** The server refused one thing; the connection goes on. */
  | { readonly state: 'complaint'; readonly text: string }
  /** Nothing comes after it. Without a reason it was closed by us. */
  | { readonly state: 'closed'; readonly reason?: ConnectionError }

type Fault = 'version' | 'unreachable' | 'credentials' | 'encryption' | 'file'

/** Why there is no connection. Its text says what to mend in both languages, and holds no secret. */
export class ConnectionError extends Error {
  readonly fault: Fault

  constructor(fault: Fault, text: string) {
    super(text)
    this.fault = fault
  }
}

/**
 * Connects to one of the servers. It ends within the limit for each server that is tried. Servers below the floor are
 * refused here and at each reconnect, before anything of ours is sent there; such a connection is closed for good,
 * because one old server spoils the journals of all: `closed` brings the reason.
 *
 * Errors  ConnectionError.
 */
export async function openConnection(
  settings: ConnectionSettings,
  onState: (state: ConnectionState) => void,
): Promise<NatsConnection> {
  let open: NatsConnection | undefined
  let refusal: ConnectionError | undefined
  /** The client asks for the proof when a server has greeted, so nothing has been sent yet. */
  const refuseOlder = (): void => {
    if (open === undefined) return
    refusal ??= refusalOf(open)
    if (refusal !== undefined) throw refusal
  }
  const options: ConnectionOptions = {
    ...optionsOf(settings),
    authenticator: [refuseOlder, ...proofOf(settings.nkeyFile)],
    reconnectToServer: () => {
      if (refusal !== undefined) throw refusal
      return null
    },
  }
  const connection = await dial(options, settings)
  const old = refusalOf(connection)
  if (old !== undefined) {
    await connection.close()
    throw old
  }
  open = connection
  onState(connectedState(connection))
  void tellStates(connection, onState)
  void connection.closed().then((error) => {
    const reason = refusal ?? (error instanceof Error ? sayFailure(error, settings) : undefined)
    onState({ state: 'closed', ...(reason === undefined ? {} : { reason }) })
  })
  return connection
}

function refusalOf(connection: NatsConnection): ConnectionError | undefined {
  const version = connection.info?.version ?? ''
  if (isServerTaken(version)) return undefined
  return new ConnectionError('version', olderServerText(connection.getServer(), version))
}

const connectedState = (connection: NatsConnection): ConnectionState => ({
  state: 'connected',
  server: connection.getServer(),
  version: connection.info?.version ?? '',
})

function optionsOf({ limits, tls, ...settings }: ConnectionSettings): ConnectionOptions {
  for (const file of Object.values(tls ?? {})) {
    if (file !== undefined) readNamed(file)
  }
  return {
    servers: [...settings.servers],
    name: settings.name,
    inboxPrefix: settings.inboxPrefix,
    ...(tls === undefined ? {} : { tls: definedOf(tls) }),
    noEcho: settings.noEcho ?? false,
    timeout: limits.connectTimeoutMs,
    pingInterval: limits.pingMs,
    maxPingOut: limits.pingsUnansweredMax,
    reconnect: settings.reconnects === 'forever',
    maxReconnectAttempts: -1,
    reconnectTimeWait: limits.reconnectWaitMs,
    reconnectJitter: limits.reconnectWaitMs / 2,
    reconnectJitterTLS: limits.reconnectWaitMs / 2,
    // A key that a server does not know yet may be known after its configuration was read again.
    ignoreAuthErrorAbort: true,
    // Addresses that servers tell each other would not stand in certificates.
    ignoreClusterUpdates: true,
    // The client would note the place of each request, at a cost that each request pays.
    noAsyncTraces: true,
  }
}

const definedOf = (files: TlsFiles): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )

function proofOf(nkeyFile: string | undefined): ReturnType<typeof nkeyAuthenticator>[] {
  if (nkeyFile === undefined) return []
  const seed = /^\s*(SU[A-Z2-7]{56})\s*$/m.exec(readNamed(nkeyFile))?.[1]
  const proof = seed === undefined ? undefined : nkeyAuthenticator(new TextEncoder().encode(seed))
  try {
    // A damaged seed shows here, not at the first greeting.
    proof?.('probe')
  } catch {
    throw noSeed(nkeyFile)
  }
  if (proof === undefined) throw noSeed(nkeyFile)
  return [proof]
}

const noSeed = (file: string): ConnectionError =>
  new ConnectionError(
    'file',
    `${file} 里没有可用的 nkey 用户种子（以 SU 开头的一行，58 个字符） (${file} holds no usable nkey seed of a user: one line that begins with SU, of 58 characters)`,
  )

function readNamed(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code = '?' } = error as NodeJS.ErrnoException
    throw new ConnectionError('file', `无法读取 ${file}：${code} (cannot read ${file}: ${code})`)
  }
}

/** The client bounds each attempt, but not the look-up of a name; all of it together is bounded here. */
async function dial(
  options: ConnectionOptions,
  settings: ConnectionSettings,
): Promise<NatsConnection> {
  const { servers, limits } = settings
  const late = Promise.withResolvers<never>()
  const connecting = connect(options)
  const timer = setTimeout(
    () => late.reject(new errors.TimeoutError()),
    limits.connectTimeoutMs * (servers.length + 1),
  )
  try {
    return await Promise.race([connecting, late.promise])
  } catch (error) {
    // One that succeeds after we have given up is closed again.
    connecting.then(
      (connection) => connection.close(),
      () => undefined,
    )
    throw sayFailure(error, settings)
  } finally {
    clearTimeout(timer)
  }
}

const TLS_WORDS = /certificate|tls|ssl|altname|self.signed|handshake|alert/i

/** A server that does not like a certificate may end the connection before its reason has arrived. */
const isOfEncryption = (words: string, tls: TlsFiles | undefined): boolean =>
  TLS_WORDS.test(words) || (tls !== undefined && words.includes('ECONNRESET'))

/** Our sentence for an error of the client. Its own words are told as a quotation. */
function sayFailure(
  error: unknown,
  { servers, tls }: Pick<ConnectionSettings, 'servers' | 'tls'>,
): ConnectionError {
  if (error instanceof ConnectionError) return error
  const where = servers.map(withoutUser).join(', ')
  const words = wordsOf(error)
  if (error instanceof errors.AuthorizationError) {
    return new ConnectionError(
      'credentials',
      `集群服务器 ${where} 不认识该用户：请核对 nkey 文件与服务器配置中的公钥 (the servers ${where} do not know this user: compare the nkey file with the public key in their configuration) “${words}”`,
    )
  }
  if (isOfEncryption(words, tls)) {
    return new ConnectionError(
      'encryption',
      `与集群服务器 ${where} 建立加密连接失败：请核对证书与 CA 文件 (no encrypted connection to the servers ${where}: check the certificates and the file of the CA) “${words}”`,
    )
  }
  return new ConnectionError(
    'unreachable',
    `连接不上集群服务器 ${where}：请核对地址、防火墙以及 nats-server 是否在运行 (cannot reach the servers ${where}: check addresses, firewall, and whether nats-server runs) “${words}”`,
  )
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'timeout'
  const { code } = error as NodeJS.ErrnoException
  return [code, error.message || error.name].filter(Boolean).join(' ').replace(/[“”]/g, "'")
}

/** A user or password that somebody has put into an address is shown to nobody. */
const withoutUser = (server: string): string => server.replace(/^([a-z]+:\/\/)?[^@/]*@/i, '$1')

async function tellStates(
  connection: NatsConnection,
  onState: (state: ConnectionState) => void,
): Promise<void> {
  for await (const status of connection.status()) {
    const state = stateOf(status, connection)
    if (state !== undefined) onState(state)
  }
}

function stateOf(status: Status, connection: NatsConnection): ConnectionState | undefined {
  switch (status.type) {
    case 'disconnect':
      return { state: 'disconnected', server: status.server }
    case 'reconnecting':
      return { state: 'reconnecting' }
    case 'reconnect':
      return connectedState(connection)
    case 'ldm':
      return { state: 'leaving', server: status.server }
    case 'error':
      return { state: 'complaint', text: wordsOf(status.error) }
    default:
      return undefined
  }
}
