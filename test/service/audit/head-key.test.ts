import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openHeadKey } from '../../../src/service/audit/head-key.ts'

const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 1_024 })

function rig(t: Test) {
  const root = t.testdir({ data: {} })
  const dataDir = join(root, 'data')
  const write = (name: string, text: string | Buffer = pem, mode = 0o600) => {
    const file = join(root, name)
    writeFileSync(file, text, { mode })
    chmodSync(file, mode)
    return file
  }
  const open = (audit: { readonly head_file?: string; readonly key_file?: string }) =>
    openHeadKey({ data_dir: dataDir, audit: { head_file: '', key_file: '', ...audit } })
  return { root, dataDir, write, open }
}

t.test('without a key nothing is signed, and a key elsewhere is taken', async (t) => {
  const { root, open, write } = rig(t)
  t.strictSame(open({}), { ok: true, value: undefined })
  t.match(open({ key_file: write('key.pem'), head_file: join(root, 'heads') }), {
    ok: true,
    value: { fingerprint: /^[0-9a-f]{16}$/ },
  })
})

t.test('what lies in the data folder is refused, also through a link', async (t) => {
  const { root, dataDir, open, write } = rig(t)
  const inside = { ok: false, error: /lies in data_dir/ }
  t.match(open({ key_file: write('data/key.pem') }), inside)
  t.match(open({ head_file: join(dataDir, 'logs', 'heads') }), inside)
  t.match(open({ head_file: join(root, 'x', '..', 'data', 'heads') }), inside)
  t.match(open({ head_file: join(root, '..data') }), { ok: true }, 'a name that begins alike')
  mkdirSync(join(root, 'real'))
  symlinkSync(dataDir, join(root, 'linked'), 'junction')
  t.match(open({ head_file: join(root, 'linked', 'heads') }), inside)
})

t.test('a key that is none, or not ours alone, is one line', async (t) => {
  const { root, open, write } = rig(t)
  const files: [string, RegExp][] = [
    [join(root, 'absent'), /cannot be read \(ENOENT\)$/],
    [write('empty', ''), /it holds no ed25519 key in PEM.*"steward key" makes one$/],
    [
      write('rsa', rsa.privateKey.export({ type: 'pkcs8', format: 'pem' })),
      /it is a key of the type rsa/,
    ],
    [
      write('public', rsa.publicKey.export({ type: 'spki', format: 'pem' })),
      /it holds no ed25519 key in PEM/,
    ],
  ]
  if (process.platform !== 'win32') {
    files.push([write('open', pem, 0o640), /can be read by others; chmod 600 it$/])
  }
  for (const [file, words] of files) t.match(open({ key_file: file }), { ok: false, error: words })
})
