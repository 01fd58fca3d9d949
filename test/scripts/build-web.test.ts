import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { watchingFlushes } from './watching-flushes.ts'

const WATCHED = watchingFlushes(`
const { putInPlace } = await import(process.env.BUILD)
putInPlace(process.env.FRESH, process.env.PLACE, 'of today')
`)

t.test('F713 the pages are on the disk before they have their name', async (t) => {
  const folder = t.testdir({
    fresh: { console: { 'index.html': '<p>', assets: { 'a.js': '1' } }, monitor: { 'sw.js': '' } },
  })
  const [FRESH, PLACE] = [join(folder, 'fresh'), join(folder, 'dist')]
  const BUILD = new URL('../../scripts/build-web.mjs', import.meta.url).href
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', WATCHED],
    { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '', BUILD, FRESH, PLACE } },
  )
  t.equal(stderr, '')
  const [flushed = '', ...after] = stdout.split(`named ${PLACE}\n`)
  t.strictSame(after, [''], 'and nothing is written behind it')
  const files = ['console/index.html', 'console/assets/a.js', 'monitor/sw.js', '.built-from']
  for (const file of files) t.match(flushed, `flushed ${join(FRESH, file)}\n`)
  t.equal(readFileSync(join(PLACE, '.built-from'), 'utf8'), 'of today')
})
