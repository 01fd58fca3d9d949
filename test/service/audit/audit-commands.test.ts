import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { configFile, until } from '../fixture.ts'
import { Child } from '../fixtures/child.ts'

t.test('a key is made, the service signs with it, and the public half proves it', async (t) => {
  const folder = t.testdir()
  const run = (...args: string[]) => new Child(t, folder, args)
  const made = await run('key', '--to', 'own.pem').exit
  t.match(made, { code: 0, stderr: [], stdout: [/own\.pem$/, /own\.pem\.pub$/] })
  const keyFile = join(folder, 'own.pem')
  const key = readFileSync(keyFile, 'utf8')
  t.match(key, /PRIVATE KEY/)
  if (process.platform !== 'win32') t.equal(statSync(keyFile).mode & 0o777, 0o600)
  const again = await run('key', '--to', 'own.pem').exit
  t.match(again, {
    code: 2,
    stderr: [/^steward: --to own\.pem: .*cannot be written \(EEXIST\)\)$/],
  })
  t.equal(readFileSync(keyFile, 'utf8'), key, 'nothing is replaced')

  const config = configFile(folder, {
    audit: { head_file: 'heads', key_file: 'own.pem' },
    limits: { audit: { publish_ms: 100 } },
  })
  const service = run('up', '--config', config)
  await service.ready()
  await until(
    async () => service.said('journal head').length, // of both accounts
    (count) => count >= 2,
  )
  service.signal('SIGTERM')
  const stopped = await service.exit
  if (process.platform !== 'win32') t.equal(stopped.code, 0) // Windows knows no signals
  t.notMatch(stopped.stdout.join('\n'), /PRIVATE KEY/)
  const proof = await run('audit', 'verify', '--config', config, '--public-key', 'own.pem.pub').exit
  t.match(proof, { code: 0, stderr: [] }, proof.stdout.join('\n'))
  t.match(proof.stdout[0], /tables agree; agrees with \d+ published heads? up to .*, signed by/)
  const other = await run('audit', 'verify', '--config', config, '--heads', 'none').exit
  t.match(other, { code: 2, stderr: [/^steward: none: 链头无法读取 \(the heads cannot be read/] })
})

t.test('a key that lies beside what it signs stops the start', async (t) => {
  const folder = t.testdir({ data: { 'own.pem': '' } })
  const config = configFile(folder, { audit: { key_file: join('data', 'own.pem') } })
  const { code, stderr } = await new Child(t, folder, ['up', '--config', config]).exit
  t.equal(code, 2)
  t.match(stderr, [/^steward: audit\.key_file .* lies in data_dir/])
})
