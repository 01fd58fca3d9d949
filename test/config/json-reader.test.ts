import fc from 'fast-check'
import t from 'tap'
import { readJson } from '../../src/config/json-reader.ts'
import { inEnglish } from './fixtures/in-english.ts'

t.test('comments, trailing commas and a byte order mark are allowed', async (t) => {
  const text = `\uFEFF// head
  { /* one */ "a": 1, // "b": 2,
    "url": "http://x/*no*/", "list": [1, 2.5e1, -0, true, false, null,], }
  // tail`
  const read = readJson(text)
  const plain = JSON.parse(JSON.stringify(read.ok && read.value))
  const list = [1, 25, 0, true, false, null]
  t.strictSame(plain, { a: 1, url: 'http://x/*no*/', list })
})

t.test('a mistake is reported by line and column, without the text around it', async (t) => {
  const table: [string, string][] = [
    ['', '1:1: expected a value'],
    ['\uFEFF', '1:1: expected a value'],
    ['{', '1:2: expected a key in double quotes or "}"'],
    ['{"a" 1}', '1:6: expected ":"'],
    ['{"a": 1\n "b": 2}', '2:2: expected "," or "}"'],
    ['[1 2]', '1:4: expected "," or "]"'],
    ["{'a': 1}", `1:2: expected a key in double quotes or "}"; write " in place of '`],
    ['{"a": 1, "a": 2}', '1:10: this key occurs twice in its object'],
    ['{"a": sesame}', '1:7: expected a value'],
    ['{"a": "sesame\n"}', '1:7: this text is not closed on its line'],
    ['[01]', '1:3: expected "," or "]"'],
    ['[1x]', '1:2: this is not a number'],
    ['[-]', '1:2: this is not a number'],
    ['{} {}', '1:4: expected the end of the file'],
    ['{} /* open', '1:4: expected the end of the file'],
    ['{,}', '1:2: expected a key in double quotes or "}"'],
    ['['.repeat(40), '1:34: nested deeper than 32 levels'],
  ]
  for (const [text, error] of table) {
    const read = readJson(text)
    t.match(read, { ok: false }, text)
    const found = read.ok ? '' : inEnglish(read.error)
    t.equal(found, error, JSON.stringify(text))
    t.notMatch(found, 'sesame')
  }
})

t.test(
  'what an input method, an editor or a Windows path puts into a file is said how to mend',
  async (t) => {
    const table: [string, RegExp][] = [
      ['{"a": 1，"b": 2}', /^1:8: .*， 请改成 , \(write , in place of ，\)$/],
      ['{"a"：1}', /^1:5: .*\(expected ":"\)；： 请改成 :/],
      ['{“a”: 1}', /^1:2: .*“ 请改成 "/],
      ['{"a": “b”}', /^1:7: .*\(expected a value\)；“ 请改成 "/],
      ['{ # note', /^1:3: .*# 请改成 \/\//],
      ['{\u3000"a": 1}', /^1:2: .*U\+3000/],
      ['{"a":\u00a01}', /^1:6: .*U\+00A0/],
      ['\uFEFF\uFEFF{}', /^1:1: .*U\+FEFF/],
      ['{"a": "D:\\qmt\\userdata_mini"}', /^1:7: .*write \/ or \\\\ in paths\)$/],
      ['{"a": "D:\\userdata_mini"}', /^1:7: .*write \/ or/],
    ]
    for (const [text, error] of table) t.match(readJson(text), { ok: false, error }, text)
  },
)

t.test('a key __proto__ is a key like any other', async (t) => {
  const read = readJson('{"__proto__": {"polluted": true}}')
  t.strictSame(read.ok && Object.keys(Object(read.value)), ['__proto__'])
  t.equal(Reflect.get({}, 'polluted'), undefined)
})

t.test('what JSON writes is read back the same', async () => {
  const plain = (value: unknown): string => JSON.stringify(value)
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(4), (value, indent) => {
      const read = readJson(JSON.stringify(value, null, indent))
      return read.ok && plain(read.value) === plain(value)
    }),
  )
})

t.test('any text is either read or refused', async () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => 'ok' in readJson(text)))
})
