import { execFile, execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, promisify } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { decode, encode } from '../../../src/protocol/codec.ts'
import { foundPythons } from './pythons.ts'
import { needPython, PYTHON } from './rig.ts'

const SIDECAR = fileURLToPath(new URL('../../../src/drivers/xt/sidecar', import.meta.url))
const TESTS = fileURLToPath(new URL('./fake/test_sidecar.py', import.meta.url))
const run = promisify(execFile)

needPython()

/** What fails is in the error. */
const keepsItsWord = async (python: string) => (await run(python, ['-B', TESTS, SIDECAR])).stderr

t.test('the parts of the sidecar keep their word', async (t) => {
  t.match(await keepsItsWord(PYTHON), /Ran [1-9]\d+ tests in \S+\s+OK/)
})

for (const [version, python] of foundPythons(8)) {
  if (python === PYTHON) continue
  t.test(`the parts of the sidecar keep their word on Python ${version}`, async (t) => {
    t.match(await keepsItsWord(python), /Ran [1-9]\d+ tests in \S+\s+OK/)
  })
}

/** Of messages, as this side makes them. */
const { values } = fc.letrec<{ values: unknown }>((tie) => ({
  values: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false, 0, 127, 128, 255, 65_536, -1, -33, -(2 ** 31), 2 ** 32),
    fc.maxSafeInteger(),
    fc.double().map((value) => value + 0), // msgpack has no zero below zero
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.uint8Array({ maxLength: 300 }),
    fc.array(tie('values'), { maxLength: 20 }),
    fc.dictionary(fc.string(), tie('values')),
  ),
}))
const messages = fc.dictionary(fc.string(), values, { maxKeys: 20 })

t.test('what this side packs, the other side reads, and the other way round', async (t) => {
  const code = [
    `import sys; sys.path.insert(0, ${JSON.stringify(SIDECAR)})`,
    'import wire',
    'for line in sys.stdin:',
    '    value = wire.unpack(bytes.fromhex(line.strip()))',
    '    assert value.get("text", "招商银行") == "招商银行", value',
    '    print(wire.pack(value).hex())',
  ].join('\n')
  const sent = [
    { t: 'call', id: 1, big: 1_754_875_800_000, text: '招商银行', bytes: new Uint8Array([1, 255]) },
    ...fc.sample(messages, 500),
  ]
  const packed = sent.map((message) => Buffer.from(encode(message)))
  const input = packed.map((bytes) => `${bytes.toString('hex')}\n`).join('')
  const output = execFileSync(PYTHON, ['-B', '-c', code], { input, maxBuffer: 2 ** 28 }).toString()
  const back = output.trim().split('\n')
  t.equal(back.length, sent.length)
  for (const [index, hex] of back.entries()) {
    const whole = packed[index] ?? Buffer.alloc(0)
    // Not what was sent: this side reads no key called `__proto__`.
    if (isDeepStrictEqual(decode(Buffer.from(hex, 'hex')), decode(whole))) continue
    t.fail(whole.toString('hex'))
  }
})
