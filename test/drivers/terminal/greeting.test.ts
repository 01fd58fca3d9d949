import { createServer, type Server } from 'node:net'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { FrameReader, frame } from '../../../src/cluster/frames.ts'
import { fileLine } from '../../../src/drivers/terminal/file-line.ts'
import type { LineEnd, OpenLine } from '../../../src/drivers/terminal/line.ts'
import { attachSidecar, type SidecarOptions } from '../../../src/drivers/terminal/sidecar-client.ts'
import { SidecarHost } from '../../../src/drivers/terminal/sidecar-host.ts'
import { socketLine } from '../../../src/drivers/terminal/socket-line.ts'
import { decode, encode } from '../../../src/protocol/codec.ts'
import { inTime } from '../../in-time.ts'
import { FilePeer, greeting, TOKEN, welcomeTo } from './file-peer.ts'

type Message = Readonly<Record<string, unknown>>

/** A way to a sidecar whose answers are these; `heard` is all that it was told. */
interface Way {
  readonly line: OpenLine
  readonly heard: Message[]
  close(): Promise<void> | void
}
/** What the sidecar says to a message; undefined: that the session has begun. */
type Says = (message: Message | undefined) => readonly object[]

async function lineTo(server: Server): Promise<OpenLine> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return socketLine({ host: '127.0.0.1', port, frameBytesMax: 65_536 })
}

/** Of a sidecar that was started by hand and listens there. */
async function hostAt(server: Server): Promise<SidecarHost> {
  const line = await lineTo(server)
  return new SidecarHost({
    whereabouts: { kind: 'attach', line, token: () => TOKEN },
    limits: { ...LIMITS, frameBytesMax: 65_536, heldTimeoutMs: 0 },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  })
}

async function overSocket(_: Test, says: Says): Promise<Way> {
  const heard: Message[] = []
  const server = createServer((socket) => {
    const reader = new FrameReader(65_536)
    const tell = (messages: readonly object[]) => {
      for (const message of messages) socket.write(frame(encode(message)))
    }
    socket.on('error', () => undefined)
    socket.on('data', (piece) => {
      reader.push(piece)
      for (let bytes = reader.next(); bytes; bytes = reader.next()) {
        const message = decode<Message>(bytes)
        heard.push(message)
        tell(says(message))
      }
    })
    tell(says(undefined))
  })
  return { line: await lineTo(server), heard, close: () => void server.close() }
}

async function overFiles(t: Test, says: Says): Promise<Way> {
  const peer = new FilePeer(t.testdir())
  const heard: Message[] = []
  const limits = { tickMs: 2, filesMax: 64, fileBytesMax: 65_536, fileRetryMs: 60_000 }
  const serve = (message: Message) => {
    const isOpen = message['t'] === 'open'
    if (!isOpen) heard.push(message)
    for (const said of says(isOpen ? undefined : message)) peer.tell(peer.session, said)
  }
  const served = setInterval(() => peer.taken().forEach(serve), 1)
  let over: Promise<void> = Promise.resolve()
  const open = fileLine({ folder: peer.folder, role: 'trade', limits })
  const line: OpenLine = (end) => {
    const opened = open(end)
    over = Reflect.get(opened, 'over') as Promise<void>
    return opened
  }
  const close = async () => {
    clearInterval(served)
    await over
  }
  return { line, heard, close }
}

const LIMITS = { beatMs: 1_000, beatsMissedMax: 60, handshakeTimeoutMs: 60_000, callsMax: 16 }
const NONCE = 'of-the-sidecar'

/** Greets, welcomes, and answers each call with its own method. */
const kind: Says = (message) => {
  if (message === undefined) return [greeting(NONCE)]
  if (message['t'] === 'hello') return [welcomeTo(message, NONCE), { t: 'live' }]
  if (message['t'] !== 'call') return []
  return [{ t: 'answer', id: message['id'], ok: true, r: { method: message['m'] } }]
}

const WAYS = { 'a socket': overSocket, files: overFiles } as const

for (const [way, over] of Object.entries(WAYS)) {
  const met = async (t: Test, says: Says, parts: Partial<SidecarOptions> = {}) => {
    const { line, heard, close } = await over(t, says)
    const closed = Promise.withResolvers<string>()
    const options = { line, token: TOKEN, epoch: 3, limits: LIMITS, onClose: closed.resolve }
    const client = attachSidecar({ ...options, ...parts })
    return { client, heard, close, closed: closed.promise }
  }

  t.test(`over ${way} both sides prove the token, and calls are answered`, async (t) => {
    const { client, heard, close } = await met(t, kind, { role: 'market' })
    const live = await inTime(client, 'a greeting')
    t.match(heard[0], { t: 'hello', role: 'market', epoch: 3 })
    t.notMatch(JSON.stringify(heard), TOKEN)
    t.match(await live.call('poll', {}, 1_000), { ok: true, value: { method: 'poll' } })
    live.close()
    await close()
  })

  t.test(`over ${way} F339 an answer without a result says nothing`, async (t) => {
    const odd: Says = (message) =>
      kind(message).map((said) => ({ ...said, ...('r' in said && { r: message?.['p'] }) }))
    const { client, close } = await met(t, odd)
    const live = await inTime(client, 'a greeting')
    for (const nothing of [null, 7, []]) {
      const answer = live.call('poll', nothing as unknown as object, 1_000)
      t.strictSame(await inTime(answer, 'an answer'), { ok: true, value: {} })
    }
    live.close()
    await close()
  })

  t.test(`over ${way} a stranger who does not know the token is not believed`, async (t) => {
    const stranger: Says = (message) =>
      kind(message).map((said) => ({ ...said, ...('proof' in said && { proof: '0'.repeat(64) }) }))
    const { client, close } = await met(t, stranger)
    await t.rejects(inTime(client, 'a greeting'), { message: /does not know the token/ })
    await close()
  })

  t.test(`over ${way} a refusal is told with its code`, async (t) => {
    const refused: Says = (message) =>
      message === undefined ? kind(message) : [{ t: 'refused', code: 'TOKEN', text: 'not mine' }]
    const { client, close } = await met(t, refused)
    await t.rejects(inTime(client, 'a greeting'), { message: /refused: not mine \(TOKEN\)/ })
    await close()
  })

  t.test(`over ${way} one that falls silent is given up, and calls with it`, async (t) => {
    const silent: Says = (message) => (message?.['t'] === 'call' ? [] : kind(message))
    // Long enough for a greeting on a busy computer.
    const limits = { ...LIMITS, beatMs: 1_000, beatsMissedMax: 3 }
    const { client, close, closed } = await met(t, silent, { limits })
    const live = await inTime(client, 'a greeting')
    const asked = live.call('poll', {}, 60_000)
    t.match(await inTime(closed, 'the end'), /silent/)
    t.match(await asked, { ok: false, error: { code: 'GONE' } })
    await close()
  })
}

t.test('F262 what was missed may take longer than a greeting, while it is told', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  t.teardown(() => mock.timers.reset())
  const seqs: unknown[] = []
  const attach = () => {
    const told: LineEnd[] = []
    const line: OpenLine = (end) => {
      told.push(end)
      const send = (message: object) => {
        const isHello = Reflect.get(message, 't') === 'hello'
        if (isHello) end.message(welcomeTo(message as Message, NONCE))
      }
      return { heardMs: performance.now(), send, close: () => undefined }
    }
    const limits = { ...LIMITS, handshakeTimeoutMs: 5_000 }
    const onEvent = (event: object) => void seqs.push(Reflect.get(event, 'seq'))
    const client = attachSidecar({ line, token: TOKEN, epoch: 3, limits, onEvent, onClose() {} })
    const say = (message: object) => told[0]?.message(message)
    say(greeting(NONCE))
    for (const seq of [1, 2, 3]) {
      mock.timers.tick(4_000)
      say({ t: 'event', e: { kind: 'placed', seq } })
    }
    return { client, say }
  }
  const { client, say } = attach()
  say({ t: 'live' })
  const live = await client
  t.strictSame(seqs, [1, 2, 3])
  live.close()
  const stuck = attach()
  mock.timers.tick(5_000)
  await t.rejects(stuck.client, { message: /told nothing more of what was missed within 5000 ms/ })
})

t.test('F959 a computer that stood still has heard what is yet to be read', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  t.teardown(() => mock.timers.reset())
  const beatMs = 10
  let heardMs = performance.now()
  let reason: string | undefined
  const line: OpenLine = (end) => {
    const send = (message: object) => {
      if (Reflect.get(message, 't') !== 'hello') return
      end.message(welcomeTo(message as Message, NONCE))
      end.message({ t: 'live' })
    }
    setImmediate(() => end.message(greeting(NONCE)))
    return {
      send,
      get heardMs() {
        return heardMs
      },
      close: () => undefined,
    }
  }
  const limits = { ...LIMITS, beatMs, beatsMissedMax: 3 }
  const onClose = (why: string) => {
    reason = why
  }
  const client = await attachSidecar({ line, token: TOKEN, epoch: 3, limits, onClose })
  mock.timers.tick(beatMs)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10 * beatMs) // asleep
  mock.timers.tick(beatMs)
  t.equal(reason, undefined, 'timers come before what is read')
  heardMs = performance.now()
  mock.timers.tick(3 * beatMs)
  t.equal(reason, undefined)
  mock.timers.tick(beatMs)
  t.match(reason, /silent/, 'and one that says nothing for so many looks is given up')
  client.close()
})

t.test('F220 a sidecar that ends in its greeting is looked for again', async (t) => {
  let isEnding = true
  const server = createServer((socket) => {
    const reader = new FrameReader(65_536)
    socket.on('error', () => undefined)
    socket.on('data', (piece) => {
      reader.push(piece)
      for (let bytes = reader.next(); bytes; bytes = reader.next()) {
        const said = [...kind(decode<Message>(bytes))]
        if (isEnding && said.length > 1) said.push({ t: 'wedged', leaked: 4 })
        // As one piece, as they leave a process that is about to end.
        socket.write(Buffer.concat(said.map((message) => frame(encode(message)))))
      }
    })
    socket.write(frame(encode(greeting(NONCE))))
  })
  const host = await hostAt(server)
  t.teardown(() => {
    host.close()
    server.close()
  })
  await inTime(host.open(3), 'a greeting').catch(() => undefined)
  isEnding = false
  const client = await inTime(host.open(3), 'another greeting')
  t.match(await client.call('connect', {}, 1_000), { ok: true, value: { method: 'connect' } })
})

t.test(
  'F344 a host that is closed while it looks for a sidecar leaves no client behind',
  async (t) => {
    const left = Promise.withResolvers<void>()
    const server = createServer((socket) => {
      const reader = new FrameReader(65_536)
      socket.on('error', () => undefined)
      socket.on('close', () => left.resolve())
      socket.on('data', (piece) => {
        reader.push(piece)
        for (let bytes = reader.next(); bytes; bytes = reader.next()) {
          const message = decode<Message>(bytes)
          if (message['t'] === 'hello') host.close() // the account has gone to another process
          for (const said of kind(message)) socket.write(frame(encode(said)))
        }
      })
      socket.write(frame(encode(greeting(NONCE))))
    })
    t.teardown(() => server.close())
    const host = await hostAt(server)
    const opened = host.open(3).catch((error: Error) => error)
    t.match(await inTime(opened, 'its end'), { message: /stopping/ })
    await inTime(left.promise, 'the end of the line')
  },
)

t.test('F379 an owner is never given what is being opened for the one before', async (t) => {
  const epochs: unknown[] = []
  const greeted = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    const reader = new FrameReader(65_536)
    socket.on('error', () => undefined)
    const tell = (message: Message) => {
      for (const said of kind(message)) socket.write(frame(encode(said)))
    }
    socket.on('data', (piece) => {
      reader.push(piece)
      for (let bytes = reader.next(); bytes; bytes = reader.next()) {
        const message = decode<Message>(bytes)
        if (message['t'] === 'hello') epochs.push(message['epoch'])
        greeted.resolve()
        void asked.promise.then(() => tell(message)) // the first is slow, as one that starts is
      }
    })
    socket.write(frame(encode(greeting(NONCE))))
  })
  const host = await hostAt(server)
  t.teardown(() => {
    host.close()
    server.close()
  })
  const former = host.open(3)
  await inTime(greeted.promise, 'the first greeting')
  const latter = [host.open(5), host.open(5)]
  asked.resolve()
  const [first, second] = await inTime(Promise.all(latter), 'what the next owner has opened')
  t.strictSame(epochs, [3, 5])
  t.equal(first, second, 'one serves all that ask for the same owner')
  t.not(first, await former)
  t.match(await first?.call('connect', {}, 1_000), { ok: true, value: { method: 'connect' } })
})
