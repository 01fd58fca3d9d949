import t from 'tap'
import { NativeModuleError, whyNotLoaded } from '../../src/runtime/native-module.ts'

const FOLDER = 'C:\\量化 交易\\steward\\node_modules\\uWebSockets.js\\dist\\bin'
const BINARY = `${FOLDER}\\uws_win32_x64_127.node`
const SYSTEM = 'C:\\Windows\\System32'
const [RUNTIME, RUNTIME_1, STANDARD] = ['vcruntime140.dll', 'vcruntime140_1.dll', 'msvcp140.dll']
/** As the package wraps what Windows says. */
const WRAPPED = `This version of uWS.js supports only Node.js versions 18, 20, 21 and 22 on (glibc) Linux.\n\nError: The specified module could not be found.\r\n\\\\?\\${BINARY}`
const CHINESE = `找不到指定的模块。\r\n\\\\?\\${BINARY}`

const windows = (files: readonly string[], path = '') => ({
  platform: 'win32' as const,
  env: { SystemRoot: 'C:\\Windows', Path: path },
  exists: (file: string) => files.includes(file),
})

t.test('the runtime of C++ that is missing on Windows is named, with what to install', (t) => {
  for (const message of [WRAPPED, CHINESE]) {
    const none = whyNotLoaded(message, true, windows([]))
    t.match(none.text, `missing: ${RUNTIME}, ${RUNTIME_1}, ${STANDARD}`)
    t.match(none.mend, 'Microsoft Visual C++ Redistributable (x64)')
    t.notMatch(none.text, /supports only|[\r\n]/, 'in one line, without the guess of the package')
  }
  const some = windows([`${SYSTEM}\\${RUNTIME}`, `${SYSTEM}\\${STANDARD}`])
  t.match(whyNotLoaded(WRAPPED, true, some).text, `(missing: ${RUNTIME_1})`)
  t.end()
})

t.test('it may lie beside the binary, in the system or on the path, not beside node.exe', (t) => {
  const files = [`${FOLDER}\\${RUNTIME}`, `${SYSTEM}\\${RUNTIME_1}`, `D:\\tools\\${STANDARD}`]
  const found = whyNotLoaded(WRAPPED, true, windows(files, 'D:\\tools;'))
  t.match(found.text, /^The specified module could not be found\. \\\\\?\\C:/)
  t.match(found.mend, 'virus scanner')
  t.match(whyNotLoaded(WRAPPED, true, windows(files)).text, `missing: ${STANDARD}`)
  t.end()
})

t.test('elsewhere, and of a binary that needs no such runtime, the system has the word', (t) => {
  const linux = { platform: 'linux' as const, env: {}, exists: () => false }
  t.match(whyNotLoaded('libm.so.6: version not found', true, linux), {
    text: 'libm.so.6: version not found',
    mend: /npm run setup/,
  })
  t.notMatch(whyNotLoaded(CHINESE, false, windows([])).text, /missing/)
  const { message } = new NativeModuleError('x', { text: 'why', mend: 'how' }, undefined)
  t.equal(message, '无法加载 x (cannot load x): why; how')
  t.end()
})
