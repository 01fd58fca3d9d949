import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'

interface Stripping {
  stripped(file: string, folder: string): string
}
const { stripped } = (await import(
  new URL('../../scripts/stripped.mjs', import.meta.url).href
)) as Stripping

function place(t: { teardown(work: () => void): void }) {
  const folder = mkdtempSync(join(tmpdir(), 'steward-stripped-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return { file: join(folder, 'source.ts'), cache: join(folder, 'cache') }
}

t.test('types become spaces, so that lines and columns stay', async (t) => {
  const { file, cache } = place(t)
  writeFileSync(file, 'const n: number = 1\nexport { n }\n')
  t.equal(stripped(file, cache), 'const n         = 1\nexport { n }\n')
})

t.test('what is kept is used as long as the source is the same, and no longer', async (t) => {
  const { file, cache } = place(t)
  writeFileSync(file, 'export const n: number = 1\n')
  const first = stripped(file, cache)
  const [name = ''] = readdirSync(cache)
  const kept = join(cache, name)
  writeFileSync(kept, readFileSync(kept, 'utf8').replace('= 1', '= 9'))
  t.match(stripped(file, cache), '= 9', 'taken from the folder')
  writeFileSync(file, 'export const n: number = 2\n')
  t.match(stripped(file, cache), '= 2')
  writeFileSync(file, 'export const n: number = 1\n')
  t.equal(stripped(file, cache), first)
  t.strictSame(readdirSync(cache), [name], 'one file for each source, and no draft')
})

t.test('half of a kept file, or a folder that cannot be written, changes nothing', async (t) => {
  const { file, cache } = place(t)
  writeFileSync(file, 'export const n: number = 1\n')
  const code = stripped(file, cache)
  const [name = ''] = readdirSync(cache)
  writeFileSync(join(cache, name), readFileSync(join(cache, name), 'utf8').slice(0, 20))
  t.equal(stripped(file, cache), code)
  const occupied = join(cache, 'occupied')
  writeFileSync(occupied, '')
  t.equal(stripped(file, occupied), code)
  mkdirSync(join(cache, 'empty'))
  t.equal(stripped(file, join(cache, 'empty')), code)
})
