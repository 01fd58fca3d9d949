import t from 'tap'
import { post } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront } from '../fixtures/fronts.ts'

const save = (port: number, template_name: string) =>
  post(port, '/api/grid/template/save', { template_name })
const saved = (link: FakeLink) => link.asked.filter(({ kind }) => kind === 'gridTemplateSave')

t.test(
  'F651 a template is not saved under a name by which nobody could read or delete it',
  async (t) => {
    const link = new FakeLink('A')
    Object.assign(link.answers, { gridTemplateSave: { fields: { template_id: 1, message: '' } } })
    const { front } = await directFront(t, link)
    for (const name of ['default', 'save', 'use', ' default ', '.', '..']) {
      t.match(
        await save(front.port, name),
        { status: 400, body: { code: 'VALIDATION', details: { template_name: [/another name/] } } },
        name,
      )
    }
    t.match(
      await save(front.port, 'half \ud83d'),
      { status: 400, body: { details: { template_name: [/half of a character/] } } },
      'it would be kept under another one',
    )
    t.equal(saved(link).length, 0, 'the account hears of none')
    for (const name of ['mine', 'Default', '默认', 'a/b']) {
      t.equal((await save(front.port, name)).status, 200, name)
    }
    t.equal(saved(link).length, 4)
  },
)
