import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

t.test('every file that is left to the long tests is there to be run by them', async (t) => {
  const files: string[] = JSON.parse(readFileSync(join(ROOT, 'test/long.json'), 'utf8'))
  t.ok(files.length > 0)
  t.strictSame(
    files.filter((file) => !existsSync(join(ROOT, file))),
    [],
  )
})
