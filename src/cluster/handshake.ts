import { connect, type Socket } from 'node:net'
import { decode, encode } from '../protocol/codec.ts'
import { PROTOCOL_VERSION } from '../protocol/envelope.ts'
import type { ClusterLimits } from './limits.ts'
import { SocketWire } from './socket-wire.ts'

/** The first frame in each direction. */
export interface Hello {
  readonly protocol: number
  readonly accountId: string
  /** Follower: the epoch it has read; owner: the one it holds. */
  readonly epoch: number
  readonly pid: number
}
export type HelloReply =
  | { readonly accepted: true; readonly hello: Hello }
  | { readonly accepted: false; readonly reason: Refusal; readonly text: string }
/** `EPOCH`: look again who owns the account. The others cannot be mended by trying again. */
type Refusal = 'PROTOCOL' | 'ACCOUNT' | 'EPOCH'

export type Meeting =
  | { readonly kind: 'met'; readonly wire: SocketWire }
  /** Nobody listens there. */
  | { readonly kind: 'gone' }
  /** Somebody listens, and said nothing in time: suspended, or very busy. */
  | { readonly kind: 'silent' }
  /** It ended the connection: look again. */
  | { readonly kind: 'unclear' }
  /** It is alive and will not have us. */
  | { readonly kind: 'refused'; readonly text: string }

export const hello = (accountId: string, epoch: number): Hello => ({
  protocol: PROTOCOL_VERSION,
  accountId,
  epoch,
  pid: process.pid,
})

const GONE: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'])
const FORBIDDEN: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM'])

/** Connects to a recorded owner and finds out whether it lives. Never throws. */
export async function meet(path: string, own: Hello, limits: ClusterLimits): Promise<Meeting> {
  const socket = connect(path)
  const failure = await untilConnected(socket, limits.handshakeTimeoutMs)
  if (failure !== undefined) {
    socket.destroy()
    return failure
  }
  const wire = new SocketWire(socket, { ...limits, echo: false })
  wire.send(encode(own))
  const answer = await firstFrame(wire, limits.handshakeTimeoutMs)
  if (answer === 'silent' || answer === undefined) {
    wire.close()
    socket.destroy()
    return { kind: answer === 'silent' ? 'silent' : 'unclear' }
  }
  const reply = readReply(answer)
  if (reply.accepted) return { kind: 'met', wire }
  wire.close()
  return reply.reason === 'EPOCH' ? { kind: 'unclear' } : { kind: 'refused', text: reply.text }
}

const STRANGER =
  '该处监听的是其他程序，应答无法识别 (another program listens there: its answer cannot be read)'

/** Whoever answers what is no reply is alive, and no owner that we could follow. */
function readReply(bytes: Uint8Array): HelloReply {
  try {
    const reply = decode<HelloReply | null>(bytes)
    if (reply?.accepted === true && typeof reply.hello === 'object') return reply
    if (reply?.accepted === false && typeof reply.text === 'string') return reply
  } catch {} // as any other that is none
  return { accepted: false, reason: 'PROTOCOL', text: STRANGER }
}

function untilConnected(socket: Socket, timeoutMs: number): Promise<Meeting | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ kind: 'silent' }), timeoutMs)
    socket.once('connect', () => {
      clearTimeout(timer)
      resolve(undefined)
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      if (GONE.has(error.code)) resolve({ kind: 'gone' })
      else if (FORBIDDEN.has(error.code)) resolve({ kind: 'refused', text: error.message })
      else resolve({ kind: 'unclear' })
    })
  })
}

async function firstFrame(
  wire: SocketWire,
  timeoutMs: number,
): Promise<Uint8Array | 'silent' | undefined> {
  const silence = Promise.withResolvers<'silent'>()
  const timer = setTimeout(() => silence.resolve('silent'), timeoutMs)
  const first = await Promise.race([wire.receiveOne(), silence.promise])
  clearTimeout(timer)
  return first
}

/** The owner's half: reads who is there and answers. Undefined when the connection was refused or lost. */
export async function welcome(
  wire: SocketWire,
  answerTo: (follower: Hello) => Promise<HelloReply>,
  limits: ClusterLimits,
): Promise<Hello | undefined> {
  const first = await firstFrame(wire, limits.handshakeTimeoutMs)
  if (first === 'silent' || first === undefined) {
    wire.close()
    return undefined
  }
  const follower = readHello(first)
  const reply = await answerTo(follower)
  wire.send(encode(reply))
  if (reply.accepted) return follower
  wire.close()
  return undefined
}

/** Bytes that are no hello become one that nobody accepts. */
function readHello(bytes: Uint8Array): Hello {
  try {
    const { protocol, accountId, epoch, pid } = decode<Hello>(bytes)
    return { protocol: Number(protocol), accountId: String(accountId), epoch: Number(epoch), pid }
  } catch {
    return { protocol: 0, accountId: '', epoch: 0, pid: 0 }
  }
}
