import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { frame } from '../../src/cluster/frames.ts'
import { hello, meet } from '../../src/cluster/handshake.ts'
import { OwnerServer, type OwnerServerDeps } from '../../src/cluster/owner-server.ts'
import { SocketWire } from '../../src/cluster/socket-wire.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import type { OpenLine } from '../../src/ports/transport.port.ts'
import { encode } from '../../src/protocol/codec.ts'
import { Link } from '../../src/runtime/link.ts'
import { heard, inTime } from '../in-time.ts'
import { ACCOUNT, LIMITS } from './fixtures/protocol.ts'

const limits = { frameBytesMax: 100_000, bufferBytesMax: 200_000 }

function socketPath(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'wire-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return process.platform === 'win32' ? `\\\\.\\pipe\\${dir.slice(-6)}` : join(dir, 's')
}

async function socketPair(t: Test): Promise<[Socket, Socket]> {
  const server = createServer()
  const path = socketPath(t)
  server.listen(path)
  await heard(server, 'listening')
  const near = connect(path)
  const [far] = (await heard(server, 'connection')) as [Socket]
  for (const socket of [near, far]) socket.on('error', () => undefined)
  t.teardown(() => {
    near.destroy()
    far.destroy()
    server.close()
  })
  return [near, far]
}

const untilClosed = (wire: SocketWire) => new Promise<void>((resolve) => wire.onClose(resolve))

t.test('frames that arrive before somebody listens are kept, in order', async (t) => {
  const [near, far] = await socketPair(t)
  const wire = new SocketWire(near, { ...limits, echo: false })
  for (const text of ['first', 'second', 'third']) far.write(frame(Buffer.from(text)))
  t.equal(Buffer.from((await wire.receiveOne()) ?? []).toString(), 'first')
  const rest: string[] = []
  await new Promise<void>((resolve) => {
    wire.onBytes((bytes) => {
      if (rest.push(Buffer.from(bytes).toString()) === 2) resolve()
    })
  })
  t.strictSame(rest, ['second', 'third'])
})

t.test('a sign of life is returned, and is no message', async (t) => {
  const [near, far] = await socketPair(t)
  const wire = new SocketWire(near, { ...limits, echo: false })
  const other = new SocketWire(far, { ...limits, echo: true })
  other.onBytes((bytes) => other.send(bytes))
  const answered = wire.receiveOne()
  t.equal(wire.takeHeard(), false)
  wire.sendSignOfLife()
  wire.send(Buffer.from('after it'))
  t.equal(Buffer.from((await answered) ?? []).toString(), 'after it')
  t.equal(wire.takeHeard(), true)
  t.equal(wire.takeHeard(), false)
})

t.test('a frame that is too long closes the connection, on either side', async (t) => {
  const [near, far] = await socketPair(t)
  const wire = new SocketWire(near, { ...limits, echo: false })
  wire.onBytes(() => t.fail('nothing may come'))
  far.write(frame(new Uint8Array(limits.frameBytesMax + 1)))
  await untilClosed(wire)
  const [sender] = await socketPair(t)
  const sending = new SocketWire(sender, { ...limits, echo: false })
  sending.send(new Uint8Array(limits.frameBytesMax + 1))
  await untilClosed(sending)
})

t.test('a reader that does not read is cut off before memory runs full', async (t) => {
  const [near, far] = await socketPair(t)
  far.pause()
  const wire = new SocketWire(near, { ...limits, echo: false })
  let isClosed = false
  wire.onClose(() => {
    isClosed = true
  })
  for (let i = 0; i < 1_000 && !isClosed; i++) wire.send(new Uint8Array(50_000))
  t.ok(isClosed)
})

t.test('bytes that nobody can read close the connection and nothing else', async (t) => {
  const [near, far] = await socketPair(t)
  const wire = new SocketWire(near, { ...limits, echo: false })
  new Link(wire, { peer: 'far', limits: { openAsksMax: 1 } })
  far.write(frame(Buffer.from([0xc1, 0xff])))
  await untilClosed(wire)
})

t.test('F348 what no frame holds fails alone, and the others are answered', async (t) => {
  const [near, far] = await socketPair(t)
  const sizes = { openAsksMax: 10 }
  const caller = new Link(new SocketWire(near, { ...limits, echo: false }), {
    peer: 'far',
    limits: sizes,
  })
  new Link(new SocketWire(far, { ...limits, echo: false }), {
    peer: 'near',
    limits: sizes,
    answer: (size) => 'x'.repeat(size as number),
  })
  const ask = (body: unknown) => caller.ask<string>(body, { timeoutMs: 60_000 })
  const answers = [60_000, 200_000, 60_000].map(ask)
  const [first, second, third] = await inTime(Promise.allSettled(answers), 'three answers')
  t.match([first, third], [{ value: /^x+$/ }, { value: /^x+$/ }], 'which no one frame holds either')
  t.match(second, { reason: { code: 'INTERNAL', message: /200\d+ bytes, at most 100000/ } })
  await t.rejects(ask('y'.repeat(200_000)), { code: 'BODY_TOO_LARGE' }, 'nor is it sent')
  t.equal((await inTime(ask(1), 'an answer')).length, 1, 'the line stands')
})

const openLine: OpenLine = (wire, end) => new Link(wire, { ...end, limits: { openAsksMax: 10 } })

async function owner(t: Test, deps: Partial<OwnerServerDeps> = {}) {
  const path = socketPath(t)
  const server = await OwnerServer.listen(path, {
    accountId: ACCOUNT,
    epoch: 5,
    limits: LIMITS,
    openLine,
    serve: async (body) => body,
    fenced: () => undefined,
    ...deps,
  })
  t.teardown(() => server.close())
  return { path, server }
}

t.test('an owner admits followers of its account, protocol and epoch, and no others', async (t) => {
  let fenced = 0
  const { path, server } = await owner(t, { fenced: () => fenced++ })
  server.admit()
  const good = hello(ACCOUNT, 5)
  t.match(await meet(path, { ...good, protocol: 99 }, LIMITS), {
    kind: 'refused',
    text: /speaks protocol \d+, the caller 99/,
  })
  t.match(await meet(path, hello('other', 5), LIMITS), { kind: 'refused' })
  t.match(await meet(path, hello(ACCOUNT, 4), LIMITS), { kind: 'unclear' })
  t.equal(fenced, 0)
  t.match(await meet(path, hello(ACCOUNT, 6), LIMITS), { kind: 'unclear' })
  t.equal(fenced, 1, 'a higher epoch tells the owner that its own is over')
  const met = await meet(path, good, LIMITS)
  if (met.kind !== 'met') throw new Error(met.kind)
  const line = openLine(met.wire, { peer: 'owner', answer: () => null })
  t.equal(await line.ask('hello', { timeoutMs: 60_000 }), 'hello')
  await server.close()
  await t.rejects(
    line.ask('hello', { timeoutMs: 60_000 }),
    new ServiceError('ACTOR_RESTARTING', 'owner is gone'),
  )
  t.match(await meet(path, good, LIMITS), { kind: 'gone' })
})

t.test('a greeting waits for the end of the claim; after a lost one, look again', async (t) => {
  const { path, server } = await owner(t)
  const meeting = meet(path, hello(ACCOUNT, 5), LIMITS)
  await server.close()
  t.match(await meeting, { kind: 'unclear' })
})

t.test('an owner that says nothing in time is silent, not gone', async (t) => {
  const { path } = await owner(t)
  t.match(await meet(path, hello(ACCOUNT, 5), { ...LIMITS, handshakeTimeoutMs: 50 }), {
    kind: 'silent',
  })
})

t.test('a caller that speaks no hello is refused', async (t) => {
  const { path, server } = await owner(t)
  server.admit()
  for (const bytes of [Buffer.from([0xc1]), encode({ no: 'hello' })]) {
    const wire = new SocketWire(connect(path), { ...limits, echo: false })
    wire.send(bytes)
    t.ok(await wire.receiveOne(), 'a refusal comes')
    await untilClosed(wire)
  }
})

t.test('F317 who answers a greeting with what is no answer is refused, and left', async (t) => {
  const path = socketPath(t)
  const answers = [
    Buffer.from([0xc1]),
    encode(null),
    encode([]),
    encode({ accepted: 'yes' }),
    encode({ accepted: false }),
    encode({ accepted: true, hello: 7 }),
  ]
  const left: Promise<void>[] = []
  const server = createServer((socket) => {
    const wire = new SocketWire(socket, { ...limits, echo: true })
    left.push(untilClosed(wire))
    const answer = answers[left.length - 1] ?? new Uint8Array()
    void wire.receiveOne().then(() => {
      wire.onBytes(() => undefined) // so that it hears the end
      wire.send(answer)
    })
  })
  server.listen(path)
  await heard(server, 'listening')
  t.teardown(() => server.close())
  for (const _ of answers) {
    t.match(await meet(path, hello(ACCOUNT, 5), LIMITS), {
      kind: 'refused',
      text: /another program/,
    })
  }
  await inTime(Promise.all(left), 'the end of each connection')
})
