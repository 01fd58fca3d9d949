import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import t from 'tap'
import { ActorBoard, createActorBoard } from '../../src/runtime/actor-board.ts'
import { startThread, type Thread, thisThread } from '../../src/runtime/thread.ts'
import { heard } from '../in-time.ts'
import type { Fault, FixtureData } from './fixtures/actor.thread.ts'

const ACTOR = 'test/runtime/fixtures/actor.thread.ts'
const ECHO = 'test/runtime/fixtures/echo.thread.ts'

function startActor(data: Partial<FixtureData> = {}): { thread: Thread; front: MessagePort } {
  const { memory: board } = new ActorBoard(createActorBoard(1))
  const { port1, port2 } = new MessageChannel()
  const thread = startThread({
    entry: ACTOR,
    name: 'actor',
    data: { board, slot: 0, incarnation: 1, ...data },
    ports: { front: port2 },
    resourceLimits: { maxOldGenerationSizeMb: 32 },
  })
  return { thread, front: port1 }
}

function startEcho(listen: 'first' | 'on-ping'): { thread: Thread; out: MessagePort } {
  const { port1, port2 } = new MessageChannel()
  const thread = startThread({ entry: ECHO, name: 'echo', data: { listen }, ports: { out: port2 } })
  return { thread, out: port1 }
}
const message = async (port: MessagePort): Promise<unknown> => (await heard(port, 'message'))[0]

function closing(port: MessagePort): Promise<unknown> {
  port.ref()
  port.start() // a port that does not receive is not told either
  return once(port, 'close')
}

const ENDS: readonly (readonly [Fault, { code: number; error?: object }])[] = [
  ['throw', { code: 1, error: { message: 'planted error' } }],
  ['reject', { code: 1, error: { message: 'planted rejection' } }],
  ['exit', { code: 3 }],
  ['memory', { code: 1, error: { code: 'ERR_WORKER_OUT_OF_MEMORY' } }],
]
for (const [fault, end] of ENDS) {
  t.test(`a thread with the fault "${fault}" ends alone and says how`, async (t) => {
    const { thread, front } = startActor()
    const closed = closing(front)
    await thread.ready
    thread.control({ kind: 'fault', fault })
    t.match(await thread.exited, end)
    await closed // whoever held the other end of its ports knows, too
  })
}

for (const fault of ['loop', 'wait'] as const) {
  t.test(`a thread with the fault "${fault}" can be terminated`, async (t) => {
    const { thread } = startActor()
    await thread.ready
    thread.control({ kind: 'fault', fault })
    thread.stop() // is not heard any more
    await thread.terminate()
    t.match(await thread.exited, { code: 1, error: undefined })
  })
}

t.test('a thread that ends before it is ready rejects `ready` with the cause', async (t) => {
  const thrown = startActor({ atStart: 'throw' }).thread
  await t.rejects(thrown.ready, { message: 'planted error at start' })
  t.match(await thrown.exited, { code: 1, error: { message: 'planted error at start' } })
  const gone = startActor({ atStart: 'exit' }).thread
  await t.rejects(gone.ready, { message: 'actor exited with code 4 before it was ready' })
})

t.test('an entry that does not exist shows in `exited`', async (t) => {
  const thread = startThread({
    entry: 'actors/no-such.thread.ts',
    name: 'x',
    data: null,
    ports: {},
  })
  t.match(await thread.exited, { code: 1, error: { code: /MODULE_NOT_FOUND/ } })
})

t.test('what cannot be cloned throws at the start and closes the ports', async (t) => {
  const { port1, port2 } = new MessageChannel()
  const closed = closing(port1)
  const data = { callback: () => undefined }
  t.throws(() => startThread({ entry: ECHO, name: 'x', data, ports: { out: port2 } }), {
    name: 'DataCloneError',
  })
  await closed
})

t.test('a file URL serves as an entry, whatever the working directory', async (t) => {
  const folder = t.testdir()
  const file = join(folder, 'plain.mjs')
  await writeFile(file, 'throw "not even an error"')
  const thread = startThread({ entry: pathToFileURL(file).href, name: 'x', data: null, ports: {} })
  t.match(await thread.exited, { code: 1, error: { message: 'not even an error' } })
})

t.test('a stop runs `onStop` to its end, then the thread exits with code 0', async (t) => {
  const { thread, out } = startEcho('first')
  await thread.ready
  const last = message(out)
  thread.stop()
  thread.stop() // asking twice changes nothing
  t.equal(await last, 'stopped')
  t.strictSame(await thread.exited, { code: 0 })
})

t.test('a stop that comes before the thread is ready is carried out once it is', async (t) => {
  const { thread } = startActor()
  thread.stop()
  t.strictSame(await thread.exited, { code: 0 })
})

t.test('a failure of `onStop` is an uncaught error', async (t) => {
  const { thread } = startActor({ atStop: 'throw' })
  await thread.ready
  thread.stop()
  t.match(await thread.exited, { code: 1, error: { message: 'planted error while stopping' } })
})

t.test(
  'introductions and control messages reach a thread that listens late, in order',
  async (t) => {
    const { thread, out } = startEcho('on-ping')
    await thread.ready
    const { port1, port2 } = new MessageChannel()
    thread.introduce('store', port2, { slot: 3 })
    thread.introduce('paper', null)
    thread.control('first')
    const said: unknown[] = []
    const stopped = new Promise<void>((resolve) => {
      out.on('message', (message) => {
        said.push(message)
        if (message === 'stopped') resolve()
      })
    })
    const greeting = message(port1)
    out.postMessage('now listen')
    t.equal(await greeting, 'hello store')
    thread.stop()
    // Its exit may be known before its last words are read: they come over another port.
    await Promise.all([stopped, thread.exited])
    t.strictSame(said, [
      { introduced: 'store', isGone: false, info: { slot: 3 } },
      { introduced: 'paper', isGone: true, info: null },
      { control: 'first' },
      'stopped',
    ])
    port1.close()
  },
)

t.test(
  'a port introduced to a thread that has exited, or never hears of it, is closed',
  async (t) => {
    const { thread, out } = startEcho('on-ping')
    await thread.ready
    const early = new MessageChannel()
    const late = new MessageChannel()
    const closed = [closing(early.port1), closing(late.port1)]
    thread.introduce('early', early.port2) // kept, and lost with the thread
    await thread.terminate()
    thread.introduce('late', late.port2)
    thread.control('nobody hears this')
    thread.stop()
    await Promise.all(closed)
    out.close()
    t.pass('both other ends were told')
  },
)

t.test('what a thread printed before it died comes out, in order', async (t) => {
  const printed: string[] = []
  const write = process.stdout.write.bind(process.stdout) // the test itself prints, too
  t.intercept(process.stdout, 'write', {
    value: (text: string) => (text.startsWith('word ') ? printed.push(text) > 0 : write(text)),
  })
  const { thread } = startActor()
  await thread.ready
  thread.control({ kind: 'fault', fault: 'last-words' })
  await thread.exited
  const words = Array.from({ length: 100 }, (_, i) => `word ${i}\n`)
  t.strictSame(printed, words)
})

t.test('outside a started thread there is no thread to speak for', async (t) => {
  t.throws(() => thisThread(), /started by startThread/)
})
