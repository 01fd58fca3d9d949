import { execFile, execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { encode } from '../../../src/protocol/codec.ts'
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

t.test('what this side packs, the other side reads, and the other way round', async (t) => {
  const value = {
    t: 'call',
    id: 1,
    big: 1_754_875_800_000,
    price: 36.5,
    less: -70_000,
    no: null,
    text: '招商银行',
    list: [true, false, 0, 127, 128, 255, 65_536, -1, -33],
    bytes: new Uint8Array([1, 2, 255]),
    nested: { a: { b: [{}, []] } },
  }
  const code = [
    `import sys; sys.path.insert(0, ${JSON.stringify(SIDECAR)})`,
    'import wire',
    'value = wire.unpack(bytes.fromhex(sys.stdin.read()))',
    'assert value["text"] == "招商银行", value',
    'sys.stdout.write(wire.pack(value).hex())',
  ].join('\n')
  const input = Buffer.from(encode(value)).toString('hex')
  const output = execFileSync(PYTHON, ['-B', '-c', code], { input }).toString()
  const { decode } = await import('../../../src/protocol/codec.ts')
  const back = decode<typeof value>(Buffer.from(output, 'hex'))
  t.strictSame({ ...back, bytes: [...back.bytes] }, { ...value, bytes: [1, 2, 255] })
})
