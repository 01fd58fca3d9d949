import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const WEB = fileURLToPath(new URL('../../web', import.meta.url))
/** A blank before the first figure of an element: the compiler of the pages leaves it out. */
const LOST = /<[a-z][\w-]*(?:\s(?:"[^"]*"|[^">/])*)?> \{\{/gi

t.test('F864 no blank between two words is one that the page is built without', async (t) => {
  for (const name of readdirSync(WEB, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.vue')) continue
    t.strictSame(readFileSync(join(WEB, name), 'utf8').match(LOST) ?? [], [], name)
  }
})
