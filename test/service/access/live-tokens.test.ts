import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { TokenAsked } from '../../../src/config/arguments.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { tokenFileOf } from '../../../src/config/token-file.ts'
import { exchangeDay } from '../../../src/domain/exchange-time.ts'
import { carryOut } from '../../../src/service/commands/token-command.ts'
import { inTime } from '../../in-time.ts'
import { configFile, get, type Json, post, serve, until } from '../fixture.ts'

const QUICK = { limits: { http: { tokens_check_ms: 10, tokens_note_ms: 20, sse_interval_ms: 20 } } }

/** `steward token …` on the folder of a service. */
function command(folder: string, asked: TokenAsked): string {
  const loaded = loadConfig({ cwd: folder, env: {}, options: { configFile: join(folder, FILE) } })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const done = carryOut(loaded.value, asked)
  if (!done.ok) throw new Error(done.error.text)
  return done.value
}
const FILE = 'steward.config.json'

const add = (folder: string, name: string, fields: object = {}): string => {
  const text = command(folder, {
    verb: 'add',
    name,
    scope: 'view',
    accounts: [],
    expires: '',
    ...fields,
  })
  return /^ {2}(\S{32})$/m.exec(text)?.[1] ?? ''
}
const WALL = { verb: 'add', name: 'wall', scope: 'view', accounts: [], expires: '' } as const

t.test(
  'the first token says that other computers reach the gateway after the next start',
  async (t) => {
    const made = (gateway: object) => {
      const folder = t.testdir({ [FILE]: JSON.stringify({ data_dir: t.testdirName, gateway }) })
      return [WALL, { ...WALL, name: 'second' }].map((asked) =>
        command(folder, asked).includes('start it anew, then other computers'),
      )
    }
    t.strictSame(made({}), [true, false])
    t.strictSame(made({ host: '0.0.0.0' }), [false, false])
    t.strictSame(made({ host: '127.0.0.1' }), [false, false], 'as it was chosen')
  },
)

t.test('F807 a token whose last day is over is not made', async (t) => {
  const folder = t.testdir({ [FILE]: JSON.stringify({ data_dir: t.testdirName }) })
  const day = (days: number) => exchangeDay(Date.now() + days * 86_400_000)
  t.throws(() => add(folder, 'late', { expires: day(-2) }), /--expires .* \(that day is over:/)
  t.notOk(existsSync(tokenFileOf(folder)), 'the first token shuts out who has none')
  t.match(add(folder, 'today', { expires: day(1) }), /^\S{32}$/)
})

const as = (token: string) => ({ 'X-API-Token': token })

t.test('a token is good as soon as it is made, and bad as soon as it is withdrawn', async (t) => {
  const folder = t.testdir()
  const { gateway, direct } = await serve(t, { folder, overrides: QUICK })
  const status = async (base: string, headers = {}) =>
    (await get(`${base}/api/status`, headers)).status
  t.equal(await status(gateway), 200, 'without any token whoever is here')
  const chief = add(folder, 'chief', { scope: 'admin' })
  await until(
    () => status(gateway),
    (seen) => seen === 401,
  )
  for (const base of [gateway, ...direct]) {
    await until(
      () => status(base, as(chief)),
      (seen) => seen === 200,
    )
    t.equal(await status(base), 401, 'nobody without one from now on')
  }
  const wall = add(folder, 'wall', { accounts: ['10000002'] })
  await until(
    () => status(gateway, as(wall)),
    (seen) => seen === 200,
  )
  t.equal(await status(direct[0] ?? '', as(wall)), 403, 'its accounts alone')
  command(folder, { verb: 'revoke', name: 'wall' })
  await until(
    () => status(gateway, as(wall)),
    (seen) => seen === 401,
  )
  t.equal(await status(gateway, as(chief)), 200, 'the others go on')
  command(folder, { verb: 'revoke', name: 'chief' })
  await until(
    () => status(gateway, as(chief)),
    (seen) => seen === 401,
  )
  t.equal(await status(gateway), 401, 'withdrawing the last one opens nothing')
  const text = readFileSync(tokenFileOf(join(folder, 'data')), 'utf8')
  t.notOk(text.includes(chief) || text.includes(wall), 'never in clear')
  if (process.platform !== 'win32') {
    t.equal(statSync(tokenFileOf(join(folder, 'data'))).mode & 0o777, 0o600)
  }
})

t.test('a token of the configuration is withdrawn without a restart, and stays so', async (t) => {
  const folder = t.testdir()
  const { createHash } = await import('node:crypto')
  const hash = `sha256:${createHash('sha256').update('of the file').digest('hex')}`
  const tokens = [{ name: 'old', hash, scope: 'admin' }]
  const first = await serve(t, { folder, overrides: { ...QUICK, tokens } })
  const seen = async (base: string) => (await get(`${base}/api/status`, as('of the file'))).status
  t.equal(await seen(first.gateway), 200)
  const refused = () => add(folder, 'old')
  t.throws(refused, /there is a token named old already/)
  command(folder, { verb: 'revoke', name: 'old' })
  await until(
    () => seen(first.gateway),
    (status) => status === 401,
  )
  t.match(command(folder, { verb: 'list' }), /^old +view|^old +admin +all +revoked +file/m)
  await first.service.stop()
  const second = await serve(t, { folder, overrides: { ...QUICK, tokens } })
  t.equal(await seen(second.gateway), 401)
})

t.test('F764 a token that was copied into the configuration is withdrawn in both', async (t) => {
  const folder = t.testdir()
  const { service } = await serve(t, { folder, overrides: QUICK })
  const wall = add(folder, 'wall')
  await service.stop()
  const { tokens } = JSON.parse(readFileSync(tokenFileOf(join(folder, 'data')), 'utf8')) as Json
  const { gateway } = await serve(t, { folder, overrides: { ...QUICK, tokens } })
  const status = async () => (await get(`${gateway}/api/status`, as(wall))).status
  t.equal(await status(), 200)
  t.match(command(folder, { verb: 'revoke', name: 'wall' }), /remove there too: wall\)/)
  await until(status, (seen) => seen === 401)
  t.match(command(folder, { verb: 'list' }), /wall +view +all +revoked/)
})

t.test('F783 a token that stands under two names is withdrawn with either', async (t) => {
  const withdrawn = async (t: Test, name: string) => {
    const folder = t.testdir()
    const { service } = await serve(t, { folder, overrides: QUICK })
    const secret = add(folder, 'wall')
    await service.stop()
    const { tokens } = JSON.parse(readFileSync(tokenFileOf(join(folder, 'data')), 'utf8')) as {
      tokens: readonly Json[]
    }
    const renamed = tokens.map((token) => ({ ...token, name: 'screen' }))
    const { gateway } = await serve(t, { folder, overrides: { ...QUICK, tokens: renamed } })
    const status = async () => (await get(`${gateway}/api/status`, as(secret))).status
    t.equal(await status(), 200)
    t.match(command(folder, { verb: 'revoke', name }), /remove there too: screen\)/)
    await until(status, (seen) => seen === 401)
  }
  await t.test('of tokens.json', (t) => withdrawn(t, 'wall'))
  await t.test('of the configuration', (t) => withdrawn(t, 'screen'))
})

t.test('an event stream ends with its token, and only that one', async (t) => {
  const folder = t.testdir()
  const { direct } = await serve(t, { folder, overrides: QUICK })
  const [wall, other] = [add(folder, 'wall'), add(folder, 'other')]
  const [base = ''] = direct
  await until(
    async () => (await get(`${base}/api/status`, as(other))).status,
    (s) => s === 200,
  )
  const open = async (token: string) => {
    const { body } = await fetch(`${base}/api/sse`, { headers: as(token) })
    const reader = body?.getReader()
    await inTime(reader?.read() ?? Promise.reject(new Error('no stream')), 'the first event')
    const ended = (async () => {
      for (;;) if ((await reader?.read())?.done !== false) return 'ended'
    })().catch(() => 'ended')
    t.teardown(() => reader?.cancel().catch(() => undefined))
    return { ended }
  }
  const [ofWall, ofOther] = [await open(wall), await open(other)]
  command(folder, { verb: 'revoke', name: 'wall' })
  t.equal(await inTime(ofWall.ended, 'the end of the stream'), 'ended')
  const still = await Promise.race([ofOther.ended, Promise.resolve('open')])
  t.equal(still, 'open')
  command(folder, { verb: 'revoke', name: 'other' })
  t.equal(await inTime(ofOther.ended, 'the end of the other'), 'ended')
})

t.test('what was done to tokens stands in the journals that it concerns, once', async (t) => {
  const folder = t.testdir()
  configFile(folder, QUICK)
  add(folder, 'early', { accounts: ['10000001'] }) // before the service runs
  const chief = add(folder, 'chief', { scope: 'admin' })
  const notes = async (base: string): Promise<string[]> => {
    const { body } = await get(`${base}/api/audit?kind=tokenChanged`, as(chief))
    return (body['entries'] as unknown as Json[])
      .map((entry) => `${entry['body']?.['act']} ${entry['body']?.['name']}`)
      .reverse()
  }
  const first = await serve(t, { folder, overrides: QUICK })
  const [one = '', two = ''] = first.direct
  await until(
    () => notes(one),
    ({ length }) => length >= 2,
  )
  t.strictSame(await notes(one), ['added early', 'added chief'])
  await until(
    () => notes(two),
    ({ length }) => length >= 1,
  )
  command(folder, { verb: 'revoke', name: 'early' })
  await until(
    () => notes(one),
    ({ length }) => length >= 3,
  )
  await first.service.stop()
  const second = await serve(t, { folder, overrides: QUICK })
  const wall = add(folder, 'wall')
  t.ok(wall)
  await until(
    () => notes(second.direct[0] ?? ''),
    ({ length }) => length >= 4,
  )
  const all = ['added early', 'added chief', 'revoked early', 'added wall']
  t.strictSame(await notes(second.direct[0] ?? ''), all)
  await until(
    () => notes(second.direct[1] ?? ''),
    ({ length }) => length >= 2,
  )
  t.strictSame(await notes(second.direct[1] ?? ''), ['added chief', 'added wall'])
})

t.test(
  'a file of tokens that cannot be read lets nobody in or out, and ends a start',
  async (t) => {
    const folder = t.testdir()
    const { gateway, service } = await serve(t, { folder, overrides: QUICK })
    const chief = add(folder, 'chief', { scope: 'admin' })
    const status = async () => (await get(`${gateway}/api/status`, as(chief))).status
    await until(status, (seen) => seen === 200)
    const file = tokenFileOf(join(folder, 'data'))
    writeFileSync(file, '{"version":1,"tokens":[{"name":"all","scope":"admin"}]}')
    await until(
      async () =>
        (await post(`${gateway}/api/v1/logs/level`, { level: 'silent' }, as(chief))).status,
      (seen) => seen === 200,
    )
    t.equal(await status(), 200)
    t.throws(() => add(folder, 'more'), /tokens.json: /)
    await service.stop()
    await t.rejects(serve(t, { folder, overrides: QUICK }), { message: /tokens\.json: / })
  },
)
