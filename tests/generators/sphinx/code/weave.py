def weave(warp, weft=2):
    return "cloth"


def unweave(cloth):
    return "threads"
