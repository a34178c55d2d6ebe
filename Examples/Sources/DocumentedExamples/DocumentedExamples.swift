// The examples of the SDK's documentation lie beside this file once `script/documented-examples` has written them; `script/examples`
// compiles them.
