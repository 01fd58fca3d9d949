import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isNewer, sumIn } from '../../../src/service/update/version.ts'
import { entriesOf, unzip, ZIP } from '../../../src/service/update/zip.ts'
import { zipOf } from './fixture.ts'

t.test(
  'a zip is unpacked as it was packed, stored and deflated, names in any language',
  async (t) => {
    const folder = t.testdir()
    const long = 'x'.repeat(100_000)
    unzip(
      zipOf([
        { path: 'steward/' },
        { path: 'steward/请先读我.txt', text: '你好', isStored: true },
        { path: 'steward/app/a.mjs', text: long, isProgram: true },
      ]),
      folder,
    )
    t.equal(readFileSync(join(folder, 'steward', '请先读我.txt'), 'utf8'), '你好')
    t.equal(readFileSync(join(folder, 'steward', 'app', 'a.mjs'), 'utf8'), long)
  },
)

t.test('nothing leaves the folder that it is unpacked into', async (t) => {
  const folder = t.testdir({ inner: {} })
  for (const path of ['../evil', 'a/../../evil', '/evil', 'C:/evil', 'a\\..\\evil', './evil', '']) {
    t.throws(() => unzip(zipOf([{ path, text: '!' }]), join(folder, 'inner')), /outside/, path)
  }
  t.notOk(existsSync(join(folder, 'evil')))
})

t.test('what is damaged, cut or too large is an error and no file', async (t) => {
  const whole = zipOf([{ path: 'a', text: 'hello hello hello' }])
  t.throws(() => entriesOf(whole.subarray(0, whole.length - 30)), /no zip|damaged/)
  t.throws(() => entriesOf(Buffer.from('not a zip at all, but text that is long enough')), /no zip/)
  const spoilt = Buffer.from(whole)
  spoilt[whole.indexOf('a') + 3] = 0xff
  t.throws(() => entriesOf(spoilt).map(({ bytes }) => bytes()))
  t.throws(() => entriesOf(whole, { ...ZIP, entriesMax: 0 }), /too many/)
  t.throws(() => entriesOf(whole, { ...ZIP, bytesMax: 3 }), /too large/)
})

t.test('which version is the newer one', async (t) => {
  const table: readonly [a: string, b: string, isNewer: boolean | undefined][] = [
    ['0.2.0', '0.1.9', true],
    ['0.10.0', '0.9.0', true],
    ['1.0.0', '1.0.0', false],
    ['1.0.0', '1.0.1', false],
    ['1.0.0', '1.0.0-rc.1', true],
    ['1.0.0-rc.2', '1.0.0-rc.10', false],
    ['1.0', '0.9.0', undefined],
    ['1.0.0', 'newest', undefined],
  ]
  for (const [a, b, expected] of table) t.equal(isNewer(a, b), expected, `${a} ${b}`)
})

t.test('a sum is found by the whole name of its file', async (t) => {
  const [one, two] = ['a'.repeat(64), 'B'.repeat(64)]
  const list = `${one}  steward-1.zip\r\n${two} *steward-2.zip\n\nno line\n`
  t.equal(sumIn(list, 'steward-1.zip'), one)
  t.equal(sumIn(list, 'steward-2.zip'), two.toLowerCase())
  t.equal(sumIn(list, 'steward'), undefined)
})
