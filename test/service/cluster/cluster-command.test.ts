import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Child } from '../fixtures/child.ts'

/** Nobody listens there, nor does any test. */
const SERVERS = ['nats://127.0.0.1:1']

t.test('steward cluster says what it needs, and finds what is wrong', async (t) => {
  const cluster = { node: 'gw1', servers: SERVERS, replicas: 1 }
  const folder = t.testdir({
    'cluster.json': JSON.stringify({ cluster }),
    'plain.json': '{}',
    'wrong.json': JSON.stringify({ cluster: { node: 'gw1', servers: SERVERS } }),
  })
  const ended = (...words: string[]) => new Child(t, folder, ['cluster', ...words]).exit
  for (const [words, line] of [
    [[], /needs a verb: check, init, join, leave, purge or key/],
    [['chek'], /unknown command "cluster chek"; it is check, init, join, leave, purge or key/],
    [['init', '--operator', 'x'], /--operator belongs to steward cluster check/],
    [['key'], /steward cluster key needs --to FILE/],
    [['check', '--nkey', 'x'], /--nkey belongs to steward cluster init and purge/],
    [['leave', '--force-lost'], /--force-lost needs --account/],
    [['purge', '--keep-days', '31'], /--keep-days is "31"; it is a number of days, 0 to 30/],
    [['join', '--config', 'plain.json'], /no section "cluster"/],
    [['join', '--account', 'x', '--config', 'cluster.json'], /--account x .*is not among/],
    [['check', '--config', 'plain.json'], /no section "cluster"/],
    [['check', '--config', 'wrong.json'], /cluster\.servers: .*names 1 of the 3 servers/],
  ] as const) {
    const exit = await ended(...words)
    t.match(exit, { code: 2, stdout: [] }, words.join(' '))
    t.match(exit.stderr, [line], words.join(' '))
    t.equal(exit.stderr.length, 1)
  }
  const unreachable = await ended('check', '--config', 'cluster.json')
  t.match(unreachable, { code: 1, stderr: [] })
  t.ok(unreachable.stdout.some((line) => /^fail +server .*cannot reach/.test(line)))
  t.match(unreachable.stdout.at(-1), /1 to mend/)
  const purged = await ended('purge', '--config', 'cluster.json')
  t.match(purged, { code: 1, stderr: [], stdout: [/^fail +journals .*cannot reach/] })
})

t.test('a key is made once, its seed shown to nobody', async (t) => {
  const folder = t.testdir({ 'plain.json': '{}' })
  const made = () =>
    new Child(t, folder, ['cluster', 'key', '--to', 'n1.nk', '--config', 'plain.json']).exit
  const first = await made()
  t.match(first, { code: 0, stderr: [] })
  t.match(first.stdout[1], /\(the public key, .*\): U[A-Z2-7]{55}$/)
  const seed = readFileSync(join(folder, 'n1.nk'), 'utf8')
  t.match(seed, /^SU[A-Z2-7]{56}\n$/)
  t.notMatch(first.stdout.join(), seed.trim())
  if (process.platform !== 'win32') {
    t.equal(statSync(join(folder, 'n1.nk')).mode & 0o777, 0o600)
  }
  t.match(await made(), { code: 2, stderr: [/EEXIST/] })
  t.equal(readFileSync(join(folder, 'n1.nk'), 'utf8'), seed)
})
