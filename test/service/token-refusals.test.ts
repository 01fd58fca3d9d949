import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { tokenFileOf } from '../../src/config/token-file.ts'
import { configFile } from './fixture.ts'
import { Child } from './fixtures/child.ts'

t.test(
  'F928 a change of the tokens that fails ends with 1, one that cannot be with 2',
  async (t) => {
    const folder = t.testdir()
    const config = configFile(folder)
    const token = (...words: string[]) =>
      new Child(t, folder, ['token', ...words, '--config', config]).exit
    t.match(await token('add', '--name', 'first'), { code: 0 })
    const codeOf = async (...words: string[]) => {
      const { code, stderr } = await token(...words)
      t.equal(stderr.length, 1, 'one line')
      return code
    }
    t.equal(await codeOf('add', '--name', 'first'), 2, 'its name is taken')
    t.equal(await codeOf('add', '--name', 'old', '--expires', '2020-01-01'), 2)
    t.equal(await codeOf('revoke', '--name', 'nobody'), 2)

    const file = tokenFileOf(join(folder, 'data'))
    mkdirSync(`${file}.new`) // nothing can be written there, as on a disk that refuses
    t.equal(await codeOf('add', '--name', 'second'), 1)
    t.equal(await codeOf('revoke', '--name', 'first'), 1)
    t.match((await token('list')).stdout.join(), 'first', 'which is in force')
  },
)
