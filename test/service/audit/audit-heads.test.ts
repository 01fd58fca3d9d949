import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../../src/config/load.ts'
import type { StoredEntry } from '../../../src/protocol/store.ts'
import { verifyAudit } from '../../../src/service/audit/audit-command.ts'
import { type PublishedHead, parseHead } from '../../../src/storage/published-head.ts'
import { Forgery, ID, work } from '../fixtures/forgery.ts'

const pair = () => generateKeyPairSync('ed25519')
const pem = (key: KeyObject): string =>
  String(key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }))

interface Asked {
  readonly headsFile?: string
  readonly publicKeyFile?: string
}

/** What the command says of the data in a folder, and how it ends. Without heads of the configuration. */
async function verify(folder: string, asked: Asked = {}) {
  const options = { configFile: join(folder, 'steward.config.json') }
  const loaded = loadConfig({ cwd: folder, env: {}, options })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const lines: string[] = []
  const audit = { head_file: '', key_file: '' }
  const sound = await verifyAudit({
    config: { ...loaded.value.config, audit, data_dir: join(folder, 'data') },
    ...asked,
    write: (line) => lines.push(line),
  })
  return { sound, lines, text: lines.join('\n') }
}

/** A day's work with its signed heads, which lie where a thief of the data folder does not reach. */
async function workWithHeads(t: Test) {
  const root = t.testdir({ day: {} })
  const own = pair()
  const files = {
    heads: join(root, 'heads.ndjson'),
    publicKey: join(root, 'own.pub'),
    otherKey: join(root, 'other.pub'),
    copy: join(root, 'copy.ndjson'),
  }
  writeFileSync(files.publicKey, pem(own.publicKey))
  writeFileSync(files.otherKey, pem(pair().publicKey))
  const keyFile = join(root, 'key.pem')
  writeFileSync(keyFile, pem(own.privateKey), { mode: 0o600 })
  const audit = { head_file: files.heads, key_file: keyFile }
  return { ...files, folder: await work(t, audit, join(root, 'day')) }
}

const headsIn = (file: string): PublishedHead[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => parseHead(line) ?? [])

/** The last `connected` under another time: no row shows it. */
function otherTime(entries: readonly StoredEntry[]): readonly StoredEntry[] {
  const at = entries.findLastIndex(({ kind }) => kind === 'connected')
  return entries.map((entry, index) => (index === at ? { ...entry, timeMs: 1 } : entry))
}

t.test('what was published proves what a chain alone cannot', async (t) => {
  const { folder, heads, publicKey, otherKey, copy } = await workWithHeads(t)
  const told = headsIn(heads)
  const last = told.at(-1)
  const signed = { headsFile: heads, publicKeyFile: publicKey }
  t.ok(told.length > 0 && last?.account === ID && last.signature, 'the stop publishes')

  await t.test('a sound journal agrees, and the words say with what', async (t) => {
    const alone = await verify(folder)
    t.strictSame(alone.sound, { ok: true, value: true })
    t.match(alone.text, /0001: \d+ entries, chain ok, tables agree\)$/m)
    t.match(alone.text, /未与已公布的链头核对.*whoever can write the data folder/)
    const compared = await verify(folder, { headsFile: heads })
    t.strictSame(compared.sound, { ok: true, value: true }, compared.text)
    const agrees = `agrees with ${told.length} published heads? up to entry ${last?.seq} of ${last?.at}`
    t.match(compared.text, new RegExp(`${agrees}\\)$`, 'm'))
    t.match(compared.text, /未校验签名.*signatures not checked/)
    const proven = await verify(folder, signed)
    t.strictSame(proven.sound, { ok: true, value: true }, proven.text)
    t.match(proven.text, new RegExp(`${agrees}, signed by ${last?.key}\\)$`, 'm'))
    t.notMatch(proven.text, /not checked/)
  })

  await t.test('a journal rewritten with every hash is found by a head alone', async (t) => {
    const forgery = new Forgery(t, folder)
    await forgery.rewrite(otherTime)
    const alone = await verify(forgery.folder)
    t.strictSame(alone.sound, { ok: true, value: true }, 'the chain alone does not show it')
    const { sound, text } = await verify(forgery.folder, { headsFile: heads })
    t.strictSame(sound, { ok: true, value: false })
    t.match(text, /0001: broken at entry \d+: it is not the entry whose head was published at 20/)
  })

  await t.test('a journal that ends before a published head is found', async (t) => {
    const forgery = new Forgery(t, folder)
    await forgery.rewrite((entries) => entries.slice(0, -3))
    const end = Number(last?.seq) - 3
    const { sound, text } = await verify(forgery.folder, signed)
    t.strictSame(sound, { ok: true, value: false })
    const words = `broken at entry ${end + 1}: it is missing; the head of entry ${last?.seq} was`
    t.match(text, new RegExp(words))
  })

  await t.test('an account that is gone with its database is found', async (t) => {
    const forgery = new Forgery(t, folder)
    rmSync(join(forgery.folder, 'data', ID), { recursive: true })
    const { sound, text } = await verify(forgery.folder, signed)
    t.strictSame(sound, { ok: true, value: false })
    t.match(text, /0001: there is no database, but the head of entry \d+ was published at/)
    writeFileSync(copy, JSON.stringify({ ...last, account: '20000009' }))
    const unknown = await verify(forgery.folder, { headsFile: copy })
    t.strictSame(unknown.sound, { ok: true, value: false }, 'also one that nobody names any more')
    t.match(unknown.text, /0009: there is no database, but the head of entry/)
  })

  await t.test('a head that was changed is no head', async (t) => {
    const changed = told.map((head) => JSON.stringify({ ...head, seq: head.seq - 1 }))
    writeFileSync(copy, changed.join('\n'))
    const { sound, text } = await verify(folder, { headsFile: copy, publicKeyFile: publicKey })
    t.match([sound], [{ ok: false, error: /holds no published head that --public-key has signed/ }])
    const one = [...changed.slice(0, 1), ...told.map((head) => JSON.stringify(head))]
    writeFileSync(copy, one.join('\n'))
    const some = await verify(folder, { headsFile: copy, publicKeyFile: publicKey })
    t.strictSame(some.sound, { ok: true, value: false }, text)
    t.match(some.text, /has a head of entry \d+ whose signature is wrong/)
    const foreign = await verify(folder, { headsFile: heads, publicKeyFile: otherKey })
    t.match(foreign.sound, { ok: false, error: /holds no published head that/ })
  })

  await t.test('heads without the signature do not count where a key is given', async (t) => {
    const [first, ...rest] = told
    const unsigned = { account: ID, seq: 1, head: '0'.repeat(64), at: first?.at }
    writeFileSync(copy, [unsigned, first, ...rest].map((head) => JSON.stringify(head)).join('\n'))
    const { sound, text } = await verify(folder, { headsFile: copy, publicKeyFile: publicKey })
    t.strictSame(sound, { ok: true, value: true }, text)
    t.match(text, /1 heads are not signed with this key and do not count/)
    const trusted = await verify(folder, { headsFile: copy })
    t.strictSame(trusted.sound, { ok: true, value: false }, 'without a key every line counts')
  })

  await t.test('a log serves as well: the number in it is masked', async (t) => {
    const lines = told.map((head) =>
      JSON.stringify({ level: 'info', ...head, account: '****0001', msg: 'journal head' }),
    )
    writeFileSync(copy, ['{"msg":"ready"}', ...lines, lines[0]?.slice(0, 60)].join('\n'))
    const { sound, text } = await verify(folder, { headsFile: copy, publicKeyFile: publicKey })
    t.strictSame(sound, { ok: true, value: true }, text)
    t.match(text, /agrees with .* signed by/)
  })

  await t.test('what cannot be compared is said in one line', async (t) => {
    t.match((await verify(folder, { publicKeyFile: publicKey })).sound, {
      ok: false,
      error: /^--public-key 需要已公布的链头.*needs published heads/,
    })
    t.match((await verify(folder, { headsFile: `${heads}x` })).sound, {
      ok: false,
      error: /cannot be read: ENOENT\)/,
    })
    t.match((await verify(folder, { headsFile: publicKey })).sound, {
      ok: false,
      error: /holds no published head\)$/,
    })
    t.match((await verify(folder, { headsFile: heads, publicKeyFile: heads })).sound, {
      ok: false,
      error: /it holds no ed25519 key in PEM/,
    })
  })
})
