// Loaded before the service under Wine, for tests only: gaps of Wine 8 are filled here and in the C files beside it.
// Wine refuses the options for keep-alive before a socket is connected; cannot map a view that is larger than its
// file, which LMDB does.
const net = require('node:net')

net.Socket.prototype.setKeepAlive = function setKeepAlive() {
  return this
}
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function connectPlainly(...args) {
  const options = Array.isArray(args[0]) ? args[0][0] : args[0]
  if (options !== null && typeof options === 'object') options.keepAlive = false
  return connect.apply(this, args)
}

const { dlopen } = process
process.dlopen = function dlopenPatched(module, file, ...rest) {
  const loaded = dlopen.call(this, module, file, ...rest)
  if (/lmdb-win32-x64.*node\.napi\.node$/.test(file)) {
    try {
      dlopen.call(process, { exports: {} }, 'C:\\lmdbwine.dll')
    } catch {
      // It is no addon: being loaded is all that it does.
    }
  }
  return loaded
}
