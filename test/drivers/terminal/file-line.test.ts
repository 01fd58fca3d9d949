import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, promises, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { FileLine, type FileLineLimits } from '../../../src/drivers/terminal/file-line.ts'
import { inTime } from '../../in-time.ts'
import { FilePeer } from './file-peer.ts'

const LIMITS: FileLineLimits = {
  tickMs: 5,
  filesMax: 64,
  fileBytesMax: 65_536,
  fileRetryMs: 60_000,
}
/** After which a process that makes folders is taken to do so for ever. */
const ENDS_MS = 20_000

/** Lines on files, each in a folder of its own, with a peer in it. */
class Scene {
  readonly #home: string
  readonly #lines: FileLine[] = []

  constructor(home: string) {
    this.#home = home
  }

  open(limits: Partial<FileLineLimits> = {}, folder = mkdtempSync(join(this.#home, 'line-'))) {
    const heard: object[] = []
    const waiting = new Set<() => void>()
    const closed = Promise.withResolvers<string>()
    const peer = new FilePeer(folder)
    const message = (told: object) => {
      heard.push(told)
      for (const wake of waiting) wake()
      waiting.clear()
    }
    const options = { folder, role: 'trade', limits: { ...LIMITS, ...limits } } as const
    const line = new FileLine(options, { message, closed: closed.resolve })
    this.#lines.push(line)
    const until = async (count: number) => {
      while (heard.length < count) {
        const coming = new Promise<void>((resolve) => waiting.add(resolve))
        await inTime(coming, `message ${count} of a line on files`)
      }
      return heard
    }
    const reason = () => inTime(closed.promise, 'the end of a line on files')
    return { line, peer, heard, until, reason }
  }

  /** Once the other side has let it in. */
  async met(limits: Partial<FileLineLimits> = {}) {
    const opened = this.open(limits)
    await opened.peer.until('open')
    return opened
  }

  async close(): Promise<void> {
    for (const line of this.#lines) line.close()
    await Promise.all(this.#lines.map(({ over }) => over))
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

const scene = (name: string, play: (t: Test, scene: Scene) => Promise<void>) =>
  t.test(name, async (t) => {
    const opened = new Scene(t.testdir())
    try {
      await play(t, opened)
    } finally {
      await opened.close()
    }
  })

scene('what is sent arrives in its order, each a file that is whole', async (t, scene) => {
  const { line, peer } = scene.open()
  for (let id = 1; id <= 20; id++) line.send({ t: 'call', id, p: { name: '平安银行' } })
  const found: unknown[] = []
  while (found.length < 21) {
    found.push(...peer.taken().map(({ t, id }) => id ?? t))
    await turn()
  }
  t.strictSame(found, ['open', ...Array.from({ length: 20 }, (_, index) => index + 1)])
})

scene('what comes is told in the order of its number, and deleted', async (t, scene) => {
  const { line, peer, until } = await scene.met()
  peer.put(line.session, 3, '{"n":3}')
  peer.put(line.session, 2, '{"n":2}')
  peer.put(line.session, 1, '{"n":1}')
  t.strictSame(await until(3), [{ n: 1 }, { n: 2 }, { n: 3 }])
  line.close()
  await line.over
  t.strictSame(peer.names('out'), [])
})

t.test(
  'F718 where nothing can be made a line on files ends and is named, and its thread goes on',
  { skip: process.platform !== 'linux' && 'such a folder is known there' },
  async (t) => {
    const folder = '/proc/steward/files'
    const file = join(import.meta.dirname, '../../../src/drivers/terminal/file-line.ts')
    const script = `
      const { FileLine } = await import(${JSON.stringify(pathToFileURL(file).href)})
      const options = ${JSON.stringify({ folder, role: 'trade', limits: LIMITS })}
      new FileLine(options, { message() {}, closed: (reason) => console.log(reason) })`
    // In a process of its own: a thread that never comes back would take the test along.
    const ended = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      timeout: ENDS_MS,
      killSignal: 'SIGKILL',
      encoding: 'utf8',
    })
    t.equal(ended.signal, null)
    t.match(ended.stdout, /^ENOENT.*\/proc\/steward/)
  },
)

scene('F101 a file that comes twice is told once', async (t, scene) => {
  const { line, peer, until } = await scene.met()
  peer.put(line.session, 1, '{"n":1}')
  await until(1)
  peer.put(line.session, 1, '{"n":1}')
  peer.put(line.session, 2, '{"n":2}')
  t.strictSame(await until(2), [{ n: 1 }, { n: 2 }])
})

scene('F101 a half-written file is read when the rest is there', async (t, scene) => {
  const { line, peer, until, heard } = await scene.met()
  peer.put(line.session, 1, '{"n":1}')
  peer.put(line.session, 2, '{"n":')
  peer.put(line.session, 3, '{"n":3}')
  await until(1)
  t.strictSame(heard, [{ n: 1 }], 'nothing passes it')
  peer.put(line.session, 2, '{"n":2}')
  t.strictSame(await until(3), [{ n: 1 }, { n: 2 }, { n: 3 }])
})

scene('F101 what stays damaged, or never comes, ends the line and is named', async (t, scene) => {
  for (const [text, number, told] of [
    ['{"n":', 1, /t[0-9a-f]{16}-00000001\.json is damaged/],
    ['[1]', 1, /00000001\.json is damaged/],
    ['{"n":2}', 2, /00000001\.json is missing/],
  ] as const) {
    const { line, peer, reason } = await scene.met({ fileRetryMs: 1 })
    peer.put(line.session, number, text)
    t.match(await reason(), told)
    await line.over
    peer.taken()
  }
})

scene('files of other names, sessions and roles are let be', async (t, scene) => {
  const { line, peer, until } = await scene.met()
  const others = [
    'm0123456789abcdef-00000001.json',
    't0123456789abcdef-00000001.json',
    `${line.session}-00000001.tmp`,
    `${line.session}-1.json`,
    'desktop.ini',
  ]
  for (const name of others) writeFileSync(join(peer.folder, 'out', name), '{"n":0}')
  peer.put(line.session, 2, '{"n":2}')
  peer.put(line.session, 1, '{"n":1}')
  t.strictSame(await until(2), [{ n: 1 }, { n: 2 }])
})

scene(
  'what earlier sessions of the role left is gone, of the other role it stays',
  async (t, scene) => {
    const folder = join(t.testdirName, 'left')
    for (const name of [
      'cmd/t0000000000000000-00000007.json',
      'cmd/m0000000000000000-00000002.json',
      'out/t0000000000000000-00000009.json',
      'out/t0000000000000000-00000009.tmp',
    ]) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), '{}')
    }
    const { line, peer } = scene.open({}, folder)
    line.send({ t: 'call' })
    const names = () => peer.names('cmd').filter((name) => name.endsWith('.json'))
    while (names().length < 3) await turn()
    t.strictSame(names(), [
      'm0000000000000000-00000002.json',
      `${line.session}-00000001.json`,
      `${line.session}-00000002.json`,
    ])
    t.strictSame(peer.names('out'), [])
  },
)

scene('F101 who gives up takes back what was not read, and says so', async (t, scene) => {
  const { line, peer } = await scene.met()
  line.send({ t: 'call', m: 'submit' })
  while (!peer.names('cmd').some((name) => name.endsWith('2.json'))) await turn()
  line.close()
  await line.over
  t.strictSame(peer.names('cmd'), [`${line.session}-99999999.json`])
  t.match(peer.taken(), [{ t: 'close' }])
})

scene('the other side may give up, also before it has told everything', async (t, scene) => {
  const { line, peer, reason, heard } = await scene.met()
  peer.put(line.session, 1, '{"n":1}')
  peer.put(line.session, 99_999_999, '{"t":"close","text":"another client took over"}')
  t.equal(await reason(), 'another client took over')
  t.strictSame(heard, [{ n: 1 }])
})

scene('life is what changes, whatever the clocks say', async (t, scene) => {
  const { line, peer } = await scene.met()
  for (const what of ['a beat counts', 'and so does the next']) {
    const before = line.heardMs
    while (line.heardMs === before) {
      peer.beat()
      await turn()
    }
    t.pass(what)
  }
})

scene(
  'a heartbeat that stops, or that an earlier life left, is no sign of life',
  async (t, scene) => {
    const { line, peer, until } = await scene.met()
    const before = line.heardMs
    peer.beat()
    peer.put(line.session, 1, '{"n":1}')
    await until(1)
    const heard = line.heardMs
    t.ok(heard > before, 'a message counts')
    peer.put('t0000000000000000', 1, '{}') // wakes it up
    for (let looks = 0; looks < 200; looks++) await turn()
    t.equal(line.heardMs, heard)
  },
)

scene('F100 a heartbeat of another life ends the session at once', async (t, scene) => {
  const { peer, reason, line, until } = await scene.met()
  peer.beat()
  peer.put(line.session, 1, '{"n":1}')
  await until(1)
  peer.put(line.session, 2, '{"n":2}')
  await until(2) // in a look of its own, which began with the heartbeat
  peer.life = 'second'
  peer.beat()
  t.equal(await reason(), 'the sidecar was started anew')
})

scene('a torn heartbeat is none', async (t, scene) => {
  const { line, peer, until } = await scene.met()
  writeFileSync(join(peer.folder, 'heartbeat.json'), '{"n":')
  peer.put(line.session, 1, '{"n":1}')
  t.strictSame(await until(1), [{ n: 1 }])
})

scene('one more than the limit of files or bytes ends the line', async (t, scene) => {
  const unread = scene.open({ filesMax: 3 })
  for (let id = 0; id < 3; id++) unread.line.send({ id })
  t.match(await unread.reason(), 'does not read')
  const long = await scene.met()
  long.line.send({ text: 'x'.repeat(65_536) })
  t.match(await long.reason(), 'more than 65536 bytes')
  const swollen = await scene.met()
  swollen.peer.put(swollen.line.session, 1, JSON.stringify({ text: 'x'.repeat(65_536) }))
  t.match(await swollen.reason(), 'more than 65536 bytes')
  const flooded = await scene.met({ filesMax: 3 })
  for (let number = 2; number < 6; number++) flooded.peer.put(flooded.line.session, number, '{}')
  t.match(await flooded.reason(), 'too many files')
})

scene('what is never read ends the line, though it was written', async (t, scene) => {
  const { line, reason, peer } = scene.open({ filesMax: 4 })
  for (let id = 0; id < 3; id++) line.send({ id })
  while (peer.names('cmd').filter((name) => name.endsWith('.json')).length < 4) await turn()
  t.match(await reason(), 'does not read')
})

scene('a folder that cannot be made or goes away is said in a line', async (t, scene) => {
  const folder = t.testdirName
  writeFileSync(join(folder, 'file'), '')
  const closed = Promise.withResolvers<string>()
  const end = { message: () => undefined, closed: closed.resolve }
  const line = new FileLine({ folder: join(folder, 'file'), role: 'trade', limits: LIMITS }, end)
  t.match(await inTime(closed.promise, 'the end'), /ENOTDIR|EEXIST|ENOENT/)
  await line.over
  const gone = await scene.met()
  rmSync(join(gone.peer.folder, 'out'), { recursive: true })
  t.match(await gone.reason(), 'ENOENT')
})

/** Writing and renaming answer as on Windows while a scanner has the file: so often, each. Answers how often it was tried. */
function heldFor(t: Test, times: number) {
  const { writeFile, rename } = promises
  const tries = { writeFile: 0, rename: 0 }
  const mustBeFree = (name: keyof typeof tries) => {
    tries[name] += 1
    if (tries[name] <= times) throw Object.assign(new Error(`EPERM: ${name}`), { code: 'EPERM' })
  }
  promises.writeFile = async (...parameters) => {
    mustBeFree('writeFile')
    await writeFile(...parameters)
  }
  promises.rename = async (...parameters) => {
    mustBeFree('rename')
    await rename(...parameters)
  }
  syncBuiltinESMExports()
  t.teardown(() => {
    Object.assign(promises, { writeFile, rename })
    syncBuiltinESMExports()
  })
  return tries
}

scene('a file that another program holds is written when it lets go', async (t, scene) => {
  const tries = heldFor(t, 2)
  const { peer } = scene.open()
  t.match(await peer.until('open'), { t: 'open' })
  t.strictSame(tries, { writeFile: 3, rename: 3 })
})

scene('a file that is held for too long ends the line', async (t, scene) => {
  heldFor(t, Number.POSITIVE_INFINITY)
  const { reason } = scene.open({ fileRetryMs: 20 })
  t.match(await reason(), 'EPERM')
})
