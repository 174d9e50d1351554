import loom
import shuttle
# tag::main[]
def main():
    loom.weave()
# end::main[]
