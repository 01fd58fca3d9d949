import t from 'tap'
// @ts-expect-error: plain JavaScript, without types
import { isGoodPython, pythonOf, setUpPython } from '../../scripts/test-needs.mjs'

t.test('the tests use the Python that is named, else that of the system', async (t) => {
  t.equal(pythonOf({}, 'linux'), 'python3')
  t.equal(pythonOf({}, 'win32'), 'python')
  t.equal(pythonOf({ STEWARD_TEST_PYTHON: '/opt/python' }, 'linux'), '/opt/python')
})

t.test('a Python that is there needs no set-up; none is said in one line', async (t) => {
  t.ok(isGoodPython(pythonOf()))
  t.doesNotThrow(() => setUpPython())
  t.notOk(isGoodPython('no-such-python'))
})
