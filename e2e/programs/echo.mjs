// Prints the JSON string that it is given each time a line is read.
process.stdin.on("data", () => process.stdout.write(JSON.parse(process.argv[2])));
