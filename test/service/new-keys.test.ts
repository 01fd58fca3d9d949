import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Child } from './fixtures/child.ts'
import { fillDisk, freeDisk, smallDisk } from './fixtures/small-disk.ts'

t.test('F612 a key that a full disk refuses is made at the next try', async (t) => {
  const folder = t.testdir({ 'plain.json': '{}' })
  const disk = smallDisk(t, 1)
  if (disk === undefined) return void t.pass('this system mounts no disk for a test')
  const ended = (...args: readonly string[]) =>
    new Child(t, folder, [...args, '--config', join(folder, 'plain.json')]).exit
  const signs = () => new Child(t, folder, ['key', '--to', join(disk, 'key.pem')]).exit
  const proves = () => ended('cluster', 'key', '--to', join(disk, 'n1.nk'))
  fillDisk(disk, 0)
  t.match(await signs(), { code: 2, stderr: [/ENOSPC/] })
  t.match(await proves(), { code: 2, stderr: [/ENOSPC/] })
  freeDisk(disk)
  t.match(await signs(), { code: 0, stderr: [] })
  t.match(await proves(), { code: 0, stderr: [] })
})

t.test('F612 a private key whose public half is refused is not left alone', async (t) => {
  const folder = t.testdir({ 'key.pem.pub': 'of another one' })
  const made = () => new Child(t, folder, ['key', '--to', 'key.pem']).exit
  t.match(await made(), { code: 2, stderr: [/key\.pem\.pub: .*EEXIST/] })
  t.notOk(existsSync(join(folder, 'key.pem')))
  t.equal(readFileSync(join(folder, 'key.pem.pub'), 'utf8'), 'of another one')
  writeFileSync(join(folder, 'key.pem'), 'kept')
  t.match(await made(), { code: 2, stderr: [/key\.pem: .*EEXIST/] })
  t.equal(readFileSync(join(folder, 'key.pem'), 'utf8'), 'kept')
})
