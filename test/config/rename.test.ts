import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { renameHeld } from '../../src/config/rename.ts'

type Rename = typeof renameHeld
const ofScripts = (await import(
  new URL('../../scripts/rename.mjs', import.meta.url).href
)) as unknown as { renameHeld: Rename }

/** A rename that a scanner refuses so many times, with this code. */
function held(code: string, times: number) {
  const log: string[] = []
  const rename = (from: string, to: string) => {
    log.push(`${from} ${to}`)
    if (log.length <= times) throw Object.assign(new Error(code), { code })
  }
  return { log, rename }
}

for (const [place, rename] of [
  ['the service', renameHeld],
  ['the set-up', ofScripts.renameHeld],
] as const) {
  t.test(`${place}: what a scanner holds on Windows is renamed when it lets go`, (t) => {
    for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
      const scanner = held(code, 2)
      rename('a', 'b', { platform: 'win32', rename: scanner.rename })
      t.strictSame(scanner.log, ['a b', 'a b', 'a b'])
    }
    t.end()
  })

  t.test(`${place}: what is held for ever is given up with the reason`, (t) => {
    const scanner = held('EBUSY', Number.POSITIVE_INFINITY)
    const doomed = () => rename('a', 'b', { platform: 'win32', rename: scanner.rename, heldMs: 60 })
    t.throws(doomed, { code: 'EBUSY' })
    t.ok(scanner.log.length >= 2)
    t.end()
  })

  t.test(`${place}: what is refused for another reason is told at once`, (t) => {
    for (const [platform, code] of [
      ['win32', 'ENOENT'],
      ['linux', 'EACCES'],
    ] as const) {
      const refused = held(code, 1)
      t.throws(() => rename('a', 'b', { platform, rename: refused.rename }), { code })
      t.equal(refused.log.length, 1)
    }
    const folder = t.testdir()
    writeFileSync(join(folder, 'a'), 'text')
    rename(join(folder, 'a'), join(folder, 'b'))
    t.equal(readFileSync(join(folder, 'b'), 'utf8'), 'text')
    t.end()
  })
}

/** They try again later or make anew what they could not rename, wait without standing still, or run on Linux alone. */
const OTHERS = [
  'scripts/run-script.cjs',
  'scripts/setup-lock.mjs',
  'scripts/stripped.mjs',
  'scripts/wine/prefix.mjs',
  'src/drivers/gateway/sent-keys.ts',
  'src/drivers/terminal/file-line.ts',
  'src/service/backups/backup-desk.ts',
  'src/storage/log/log.ts',
]

t.test('nothing else renames without waiting', (t) => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const files = ['src', 'actors', 'http', 'scripts', 'bin'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(room, name).split(sep).join('/'),
    ),
  )
  const renaming = files.filter(
    (file) =>
      /\.(ts|[mc]js)$/.test(file) &&
      /\brename(Sync)?\(/.test(readFileSync(join(root, file), 'utf8')),
  )
  const own = ['scripts/rename.mjs', 'src/config/rename.ts']
  t.strictSame(renaming.filter((file) => !own.includes(file)).sort(), OTHERS)
  t.end()
})
