import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { registerDefaults } from '../../../src/config/account.ts'
import { type Config, configSchema } from '../../../src/config/schema.ts'
import { makeScript } from '../../../src/service/commands/script-command.ts'

const ID = '10000001'
const account = (account_id: string, driver: string, bigqmt: object = {}) =>
  ({ account_id, qmt_path: 'q', driver, bigqmt }) as const

function configOf(data_dir: string, bigqmt: object = {}): Config {
  const accounts = [account(ID, 'bigqmt', bigqmt), account('10000002', 'paper')]
  const config = configSchema.parse({ data_dir, accounts, market: { source: 'bigqmt' } })
  return config as unknown as Config // the drivers are decided
}

/** The command in a fresh folder; `words` are what it said, `script` what it wrote. */
function scene(home: string, bigqmt: object = {}) {
  const config = configOf(join(home, 'data'), bigqmt)
  const token = () => readFileSync(join(home, 'data', ID, 'bigqmt', 'token'), 'utf8').trim()
  const make = (asked: { accountId?: string; output?: string; isSecretNew?: boolean } = {}) =>
    makeScript({
      config,
      asked: { accountId: ID, isSecretNew: false, ...asked },
      version: '1.2.3',
      cwd: home,
    })
  const script = (file = `steward_${ID}.py`) =>
    new TextDecoder('gbk').decode(readFileSync(join(home, file)))
  return { make, token, script, config }
}

const words = (made: ReturnType<typeof makeScript>): string =>
  made.ok ? made.value.join('\n') : `error: ${made.error.text}`

t.test(
  'the script of an account stands in this folder, its secret in it and nowhere else',
  async (t) => {
    const home = t.testdir()
    const { make, token, script } = scene(home)
    const said = words(make())
    t.match(said, join(home, `steward_${ID}.py`))
    t.match(said, /模型交易[\s\S]*steward doctor/)
    t.ok(token().length >= 32)
    t.match(script(), token())
    t.notMatch(said, token())
    if (process.platform !== 'win32') {
      t.equal(statSync(join(home, `steward_${ID}.py`)).mode & 0o777, 0o600)
      t.equal(statSync(join(home, 'data', ID, 'bigqmt', 'token')).mode & 0o777, 0o600)
      t.equal(statSync(join(home, 'data', ID, 'bigqmt')).mode & 0o777, 0o700)
    }
  },
)

t.test('made again it knows the same secret, unless a new one is asked for', async (t) => {
  const { make, token, script } = scene(t.testdir())
  make()
  const first = token()
  t.notMatch(words(make()), /密钥已更换/)
  t.equal(token(), first)
  t.match(words(make({ isSecretNew: true })), /密钥已更换/)
  t.not(token(), first)
  t.match(script(), token())
})

t.test(
  'F976 a script that cannot be written leaves the secret that the terminal knows',
  async (t) => {
    const home = t.testdir()
    const { make, token } = scene(home)
    make()
    const known = token()
    const away = join('missing', 'x.py')
    const failed = make({ isSecretNew: true, output: away })
    t.match(failed, {
      ok: false,
      error: { isWrong: false, text: /脚本无法写入.*cannot be written.*ENOENT/ },
    })
    t.match(failed, { error: { text: join(home, away) } })
    t.equal(token(), known)
  },
)

t.test('F976 a secret that cannot be kept leaves no script that nobody would know', async (t) => {
  const home = t.testdir()
  const { make, token, script } = scene(home)
  mkdirSync(join(home, 'data', ID), { recursive: true })
  writeFileSync(join(home, 'data', ID, 'bigqmt'), 'in the way')
  t.match(make(), { ok: false, error: { isWrong: false, text: /its secret cannot be kept/ } })
  t.strictSame(readdirSync(home), ['data'])
  rmSync(join(home, 'data', ID, 'bigqmt'))
  t.match(make(), { ok: true })
  t.ok(token().length >= 32)
  rmSync(join(home, 'data', ID, 'bigqmt'), { recursive: true })
  writeFileSync(join(home, 'data', ID, 'bigqmt'), 'in the way again')
  const loaded = script()
  t.match(make(), { ok: false, error: { text: /its secret cannot be kept/ } })
  t.equal(script(), loaded, 'what the terminal loads from there is what it was')
})

t.test('the settings are those of the account', async (t) => {
  const { make, script, config } = scene(t.testdir(), {
    transport: 'files',
    folder: 'D:\\交易\\steward',
  })
  t.match(words(make({ output: 'other.py' })), /files/)
  const text = script('other.py')
  t.match(text, /"transport": "files"/)
  t.match(text, /"folder": "D:\\\\\\u4ea4\\u6613\\\\steward"/)
  t.match(text, /"settle_ms": 30000/)
  t.match(text, /"digest": "[0-9a-f]{16}"/)
  t.equal(config.limits.bigqmt.settle_ms, 30_000)
})

t.test('what cannot be is one line with what to do, and nothing is written', async (t) => {
  const home = t.testdir({ 'mine.py': 'print(1)\n', folder: {} })
  const { make } = scene(home)
  for (const [asked, message] of [
    [{ accountId: '999' }, /--account 999: .*there is 10000001/],
    [{ accountId: '10000002' }, /driver.*"paper".*"driver": "bigqmt"/],
    [{ output: 'mine.py' }, /--output .*choose another name/],
    [{ output: 'folder' }, /--output .*choose another name/],
  ] as const) {
    t.match(make(asked), { ok: false, error: { isWrong: true, text: message } })
  }
  t.match(make({ output: join('missing', 'x.py') }), { ok: false, error: { isWrong: false } })
  t.equal(readFileSync(join(home, 'mine.py'), 'utf8'), 'print(1)\n')
  writeFileSync(join(home, `steward_${ID}.py`), '#coding:gbk\n# steward script bigqmt: old\n')
  t.match(make(), { ok: true }, 'one of ours is written over')
})

t.test(
  'an account that is registered at run time has the default port and no script yet',
  async (t) => {
    const registered = registerDefaults(
      {
        account_id: ID,
        qmt_path: 'q',
        account_type: 'STOCK',
        call_timeout: 3,
        reconnect_interval: 60,
        max_reconnect_attempts: 5,
      },
      'bigqmt',
    )
    t.match(registered, { driver: 'bigqmt', bigqmt: { transport: 'socket', port: 58_800 } })
  },
)
