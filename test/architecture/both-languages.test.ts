import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Rooms whose texts the pages show in one language alone. */
const ROOMS = ['src/account', 'src/domain', 'src/strategy']
const BOTH = /`([^`\n]*[\u4e00-\u9fff][^`\n]*) \(([A-Za-z$][^`\u4e00-\u9fff]*)\)`/g
/** What is put in that is a figure, by its name. */
const FIGURE =
  /count|length|seconds|since|Max\b|round\(|toYuan|cents|inYuan|exchangeTime|quantity|shares\(|amount\(|\{at\}|riskShown|\{held\}/

/** Figures of the Chinese part of a text that the English behind it lacks. */
const lacking = (source: string): readonly string[] =>
  [...source.matchAll(BOTH)].flatMap(([text, chinese = '', english = '']) =>
    (chinese.match(/\$\{[^{}]+\}/g) ?? [])
      .filter((each) => FIGURE.test(each) && !english.includes(each))
      .map((each) => `${each} in ${text}`),
  )

t.test('F811 a figure that is put into the Chinese of a text is in its English too', async (t) => {
  const files = ROOMS.flatMap((room) =>
    readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(ROOT, room, file)),
  )
  t.ok(files.length > 100)
  t.strictSame(
    files.flatMap((file) => lacking(readFileSync(file, 'utf8'))),
    [],
  )
})

t.test('the check bites', async (t) => {
  const count = ['$', 'count'].join('{').concat('}')
  t.equal(lacking(`\`已有 ${count} 笔 (orders)\``).length, 1)
  t.equal(lacking(`\`已有 ${count} 笔 (${count} orders)\``).length, 0)
})
