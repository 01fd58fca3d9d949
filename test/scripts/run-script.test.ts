import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
// @ts-expect-error: plain JavaScript, without types
import { runScript, shareBundle } from '../../scripts/run-script.cjs'
import { turnsUntil } from '../in-time.ts'

const BUNDLE = `(async (importModule, importMeta) => {
  const { basename } = await importModule('node:path')
  const never = () => { throw new Error('never called') }
  const twice = (value) => 2 * value
  globalThis.stewardSaid = [basename(importMeta.url), twice(21)]
})`
const SAID = ['some.js', 42]
const world = globalThis as { stewardSaid?: readonly unknown[] }

function bundle(t: Test) {
  const folder = t.testdir({ 'some.js': BUNDLE })
  const [file, compiled] = [join(folder, 'some.js'), join(folder, 'compiled', 'some.js.bin')]
  const address = pathToFileURL(file).href
  /** Whether it was known, and what it said. */
  const run = async (shared?: unknown, options: object = { keepAfterMs: 1 }) => {
    delete world.stewardSaid
    const isKnown = await runScript({ file, compiled, address, shared, ...options })
    return [isKnown, world.stewardSaid]
  }
  return { file, compiled, run }
}

t.test('what was compiled of a bundle is kept, and the next thread takes it', async (t) => {
  const { compiled, run } = bundle(t)
  t.strictSame(await run(), [false, SAID])
  await turnsUntil(() => existsSync(compiled), 'what was compiled')
  t.strictSame(await run(), [true, SAID])
})

t.test('one of many threads leaves it to those that start a moment later', async (t) => {
  const { compiled, run } = bundle(t)
  const late = { keepAfterMs: 600_000 }
  t.strictSame(await run(undefined, late), [false, SAID])
  t.notOk(existsSync(compiled), 'another one may have run next to nothing yet')
  t.strictSame(await run(undefined, { ...late, isOneOfMany: true }), [false, SAID])
  t.strictSame(await run(undefined, late), [true, SAID])
})

t.test('what all threads share is read once, and nothing that is damaged is shared', async (t) => {
  const { file, compiled, run } = bundle(t)
  const early = shareBundle({ file, compiled })
  t.equal(early.code, undefined, 'nothing is kept yet')
  t.strictSame(await run(early), [false, SAID])
  await turnsUntil(() => existsSync(compiled), 'what was compiled')
  t.strictSame(await run(early), [true, SAID], 'as it is by then')
  const shared = shareBundle({ file, compiled })
  writeFileSync(compiled, readFileSync(compiled).subarray(0, -1))
  t.equal(shareBundle({ file, compiled }).code, undefined, 'nothing that is cut')
  rmSync(file)
  rmSync(compiled)
  t.strictSame(await run(shared), [true, SAID], 'without a look at the files')
  t.strictSame(await run(early), [false, SAID], 'nor where it has only the bundle')
})

t.test('F117 what was compiled and is damaged is made anew, and never run', async (t) => {
  const { compiled, run } = bundle(t)
  await run()
  await turnsUntil(() => existsSync(compiled), 'what was compiled')
  const whole = readFileSync(compiled)
  const flipped = Buffer.from(whole)
  flipped.writeUInt8(whole.readUInt8(whole.length - 9) ^ 1, whole.length - 9)
  const damaged = { empty: Buffer.alloc(0), cut: whole.subarray(0, -1), flipped }
  for (const [what, bytes] of Object.entries(damaged)) {
    writeFileSync(compiled, bytes)
    t.strictSame(await run(), [false, SAID], what)
    await turnsUntil(() => !readFileSync(compiled).equals(bytes), 'another one')
    t.strictSame(await run(), [true, SAID], `${what}, the next time`)
  }
})

t.test(
  'F117 what was compiled of another text is not taken, also of one that is as long',
  async (t) => {
    const { file, compiled, run } = bundle(t)
    await run()
    await turnsUntil(() => existsSync(compiled), 'what was compiled')
    const before = readFileSync(compiled)
    writeFileSync(file, BUNDLE.replace('2 * value', '3 * value'))
    t.strictSame(await run(), [false, ['some.js', 63]])
    await turnsUntil(() => !readFileSync(compiled).equals(before), 'another one')
  },
)
