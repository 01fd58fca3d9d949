import { MessageChannel, type MessagePort } from 'node:worker_threads'
import fc from 'fast-check'
import t from 'tap'
import { ActorBoard, createActorBoard } from '../../src/runtime/actor-board.ts'
import { Channel } from '../../src/runtime/channel.ts'
import { startThread, type Thread } from '../../src/runtime/thread.ts'
import type { Cascade } from './fixtures/cascade.thread.ts'

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Two ends in one thread: slot 0 sends, slot 1 receives and keeps each `done`. */
function pair(board = new ActorBoard(createActorBoard(2))) {
  const { port1, port2 } = new MessageChannel()
  const received: unknown[] = []
  const dones: (() => void)[] = []
  const near = new Channel<unknown, unknown>(port1, {
    board,
    self: 0,
    peer: 1,
    receive: (_message, done) => done(),
  })
  const far = new Channel<unknown, unknown>(port2, {
    board,
    self: 1,
    peer: 0,
    receive: (message, done) => {
      received.push(message)
      dones.push(done)
    },
  })
  const until = async (count: number): Promise<void> => {
    while (received.length < count) await turnOfTheLoop()
  }
  return { board, near, far, received, dones, until }
}

t.test('a message counts from its sending until it is done, once', async (t) => {
  const { board, near, received, dones, until } = pair()
  near.send({ n: 1 })
  near.send({ n: 2, bytes: new Uint8Array([1, 2, 3]) })
  t.notOk(board.isQuiet())
  await until(2)
  t.match(received, [{ n: 1 }, { n: 2 }])
  dones[0]?.()
  dones[0]?.()
  t.notOk(board.isQuiet(), 'done twice counts once')
  dones[1]?.()
  t.ok(board.isQuiet())
  near.close()
})

t.test('a small message after a large one does not carry its memory', async (t) => {
  const { port1, port2 } = new MessageChannel()
  const board = new ActorBoard(createActorBoard(2))
  const channel = new Channel(port1, { board, self: 0, peer: 1, receive: () => undefined })
  channel.send('x'.repeat(1_000_000))
  channel.send('small')
  const sizes: number[] = []
  port2.on('message', (bytes: Uint8Array) => sizes.push(bytes.buffer.byteLength))
  while (sizes.length < 2) await turnOfTheLoop()
  t.ok((sizes[1] ?? 0) < 16, `${sizes[1]} bytes`)
  channel.close()
})

t.test(
  'a batched channel sends what one turn says as one message, which counts until all of it is done',
  async (t) => {
    const { port1, port2 } = new MessageChannel()
    const board = new ActorBoard(createActorBoard(2))
    const channel = new Channel<string, never>(port1, {
      board,
      self: 0,
      peer: 1,
      isBatched: true,
      receive: () => undefined,
    })
    const dones: (() => void)[] = []
    const receive = (_message: string, done: () => void) => void dones.push(done)
    new Channel<never, string>(port2, { board, self: 1, peer: 0, receive })
    let posts = 0
    port2.on('message', () => posts++)
    channel.send('first')
    void Promise.resolve().then(() => channel.send('second'))
    t.notOk(board.isQuiet(), 'what is not posted yet counts already')
    while (dones.length < 2) await turnOfTheLoop()
    t.equal(posts, 1)
    dones[0]?.()
    dones[0]?.()
    t.notOk(board.isQuiet(), 'one of two is done')
    dones[1]?.()
    t.ok(board.isQuiet())
    channel.send('said before the close')
    channel.close()
    while (dones.length < 3) await turnOfTheLoop()
    t.equal(posts, 2)
  },
)

t.test(
  'what a batched channel had not posted when its actor died is forgotten with it',
  async (t) => {
    const { port1 } = new MessageChannel()
    const board = new ActorBoard(createActorBoard(2))
    const receive = () => undefined
    const channel = new Channel(port1, { board, self: 0, peer: 1, isBatched: true, receive })
    channel.send('never posted')
    board.resetInFlight(0, 0)
    board.resetInFlight(1, 0)
    t.ok(board.isQuiet())
    await turnOfTheLoop()
    t.ok(board.isQuiet())
    channel.close()
  },
)

t.test('what is sent to a peer that was restarted since is dropped and not counted', async (t) => {
  const { board, near, received, dones, until } = pair()
  near.send('before')
  await until(1)
  board.resetInFlight(1, 0)
  near.send('after')
  t.ok(board.isQuiet())
  dones[0]?.()
  board.begin(1)
  dones[0]?.()
  t.notOk(board.isQuiet(), 'a late done does not end what the next incarnation was sent')
  await turnOfTheLoop()
  t.strictSame(received, ['before'])
  near.close()
})

t.test('an end made late belongs to the generation of its port', async (t) => {
  const board = new ActorBoard(createActorBoard(2))
  const { port1, port2 } = new MessageChannel()
  const peerGeneration = board.generation(1)
  board.resetInFlight(1, 0)
  const receive = (): void => undefined
  const channel = new Channel(port1, { board, self: 0, peer: 1, peerGeneration, receive })
  port2.close()
  channel.send('to nobody')
  t.ok(board.isQuiet())
})

t.test('an echo that answers before it is done keeps the board busy all the way', async (t) => {
  const board = new ActorBoard(createActorBoard(2))
  const { port1, port2 } = new MessageChannel()
  let left = 50
  const bounce =
    (channel: () => Channel<string, string>) => (message: string, done: () => void) => {
      void turnOfTheLoop().then(() => {
        if (left-- > 0) channel().send(message)
        done()
      })
    }
  const one: Channel<string, string> = new Channel<string, string>(port1, {
    board,
    self: 0,
    peer: 1,
    receive: bounce(() => one),
  })
  const two: Channel<string, string> = new Channel<string, string>(port2, {
    board,
    self: 1,
    peer: 0,
    receive: bounce(() => two),
  })
  one.send('ball')
  await board.untilQuiet()
  t.equal(left, -1, 'every follow-up message was worked off')
  one.close()
})

/** Three actors in threads, each with a channel to the two others, and one to slot 3: the test. */
async function triangle(board: ActorBoard, worked: SharedArrayBuffer) {
  const toTest = [0, 1, 2].map(() => new MessageChannel())
  const between = [0, 1, 2].map(() => new MessageChannel()) // i: from actor i to actor i + 1
  const threads: Thread[] = [0, 1, 2].map((slot) => {
    const ports: Record<string, MessagePort> = {}
    const next = between[slot]
    const previous = between[(slot + 2) % 3]
    const test = toTest[slot]
    if (!next || !previous || !test) throw new Error('three of each')
    ports[String((slot + 1) % 3)] = next.port1
    ports[String((slot + 2) % 3)] = previous.port2
    ports['3'] = test.port2
    const data = { board: board.memory, slot, worked }
    return startThread({
      entry: 'test/runtime/fixtures/cascade.thread.ts',
      name: `actor ${slot}`,
      data,
      ports,
    })
  })
  await Promise.all(threads.map(({ ready }) => ready))
  const channels = toTest.map(
    ({ port1 }, peer) =>
      new Channel<Cascade, never>(port1, { board, self: 3, peer, receive: () => undefined }),
  )
  return { threads, channels }
}

const sizeOf = (cascade: Cascade): number =>
  1 + cascade.next.reduce((sum, { cascade: next }) => sum + sizeOf(next), 0)

t.test(
  'untilQuiet waits for whole cascades between three threads, whatever their shape',
  async (t) => {
    const worked = new SharedArrayBuffer(4)
    const count = new Int32Array(worked)
    const board = new ActorBoard(createActorBoard(4))
    const { threads, channels } = await triangle(board, worked)
    const leaf = fc.record({ isAsync: fc.boolean(), next: fc.constant<Cascade['next']>([]) })
    const { tree } = fc.letrec<{ tree: Cascade }>((tie) => {
      const hop = fc.constantFrom<(1 | 2)[]>(1, 2)
      const next = fc.array(fc.record({ hop, cascade: tie('tree') }), { maxLength: 3 })
      const node = fc.record({ isAsync: fc.boolean(), next })
      return { tree: fc.oneof({ maxDepth: 4 }, leaf, node) }
    })
    const starts = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), tree), { maxLength: 8 })
    const property = fc.asyncProperty(starts, async (starts) => {
      const before = Atomics.load(count, 0)
      for (const [slot, cascade] of starts) channels[slot]?.send(cascade)
      await board.untilQuiet()
      const total = starts.reduce((sum, [, cascade]) => sum + sizeOf(cascade), 0)
      return Atomics.load(count, 0) - before === total
    })
    await fc.assert(property, { numRuns: 100 })
    t.ok(Atomics.load(count, 0) > 100)
    for (const thread of threads) thread.stop()
    await Promise.all(threads.map(({ exited }) => exited))
  },
)

/** A hung thread says so first: only then is it terminated, as the supervisor would do later. */
async function end(victim: Thread | undefined, death: string, board: ActorBoard): Promise<void> {
  if (victim === undefined) throw new Error('nobody to end')
  victim.control(death)
  if (death === 'loop') {
    while (board.status(0) !== 'degraded') await turnOfTheLoop()
    board.setStatus(0, 'stopped')
    await victim.terminate()
  }
  await victim.exited
}

t.test(
  'a thread that dies or hangs in the middle of a cascade leaves no count behind',
  async (t) => {
    const worked = new SharedArrayBuffer(4)
    const count = new Int32Array(worked)
    const board = new ActorBoard(createActorBoard(4))
    const endless: Cascade = { isAsync: false, next: [], isEndless: true }
    for (const death of ['throw', 'exit', 'loop', 'throw', 'exit', 'loop']) {
      const { threads, channels } = await triangle(board, worked)
      const before = Atomics.load(count, 0)
      for (const channel of channels) channel.send(endless)
      while (Atomics.load(count, 0) < before + 50) await turnOfTheLoop()
      t.notOk(board.isQuiet())
      const [victim, ...others] = threads
      await end(victim, death, board)
      board.resetInFlight(0, 0)
      for (const thread of others) thread.control('no more')
      await board.untilQuiet()
      for (const thread of others) thread.stop()
      await Promise.all(others.map(({ exited }) => exited))
      for (const channel of channels) channel.close()
    }
  },
)
