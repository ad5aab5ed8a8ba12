// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IERC721Receiver {
    function onERC721Received(address operator, address from, uint256 tokenId, bytes calldata data) external returns (bytes4);
}

/// Who owns what and who may move it: ERC-721 without the optional metadata. Whether a token may move is for the heir to say.
abstract contract Ownership {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    mapping(uint256 => address) private owners;
    mapping(address => uint256) private balances;
    mapping(uint256 => address) private approvals;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd;
    }

    function balanceOf(address owner) external view returns (uint256) {
        require(owner != address(0), "the zero address owns nothing");
        return balances[owner];
    }

    function ownerOf(uint256 tokenId) public view returns (address owner) {
        owner = owners[tokenId];
        require(owner != address(0), "no such wizard");
    }

    function getApproved(uint256 tokenId) external view returns (address) {
        ownerOf(tokenId);
        return approvals[tokenId];
    }

    function approve(address approved, uint256 tokenId) external {
        address owner = ownerOf(tokenId);
        require(msg.sender == owner || isApprovedForAll[owner][msg.sender], "not the owner");
        approvals[tokenId] = approved;
        emit Approval(owner, approved, tokenId);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function transferFrom(address from, address to, uint256 tokenId) public {
        address owner = ownerOf(tokenId);
        require(owner == from, "not of this owner");
        require(
            msg.sender == owner || isApprovedForAll[owner][msg.sender] || approvals[tokenId] == msg.sender,
            "not allowed to transfer"
        );
        require(to != address(0), "transfer to the zero address");
        release(tokenId);
        delete approvals[tokenId];
        balances[from] -= 1;
        give(from, to, tokenId);
    }

    function safeTransferFrom(address from, address to, uint256 tokenId) external {
        safeTransferFrom(from, to, tokenId, "");
    }

    function safeTransferFrom(address from, address to, uint256 tokenId, bytes memory data) public {
        transferFrom(from, to, tokenId);
        if (to.code.length == 0) return;
        bytes4 answer = IERC721Receiver(to).onERC721Received(msg.sender, from, tokenId, data);
        require(answer == IERC721Receiver.onERC721Received.selector, "the receiver refuses");
    }

    function give(address from, address to, uint256 tokenId) internal {
        owners[tokenId] = to;
        balances[to] += 1;
        emit Transfer(from, to, tokenId);
    }

    function burn(uint256 tokenId) internal {
        address owner = owners[tokenId];
        delete owners[tokenId];
        delete approvals[tokenId];
        balances[owner] -= 1;
        emit Transfer(owner, address(0), tokenId);
    }

    /// Called before a token changes hands; reverts when it may not.
    function release(uint256 tokenId) internal virtual;
}

/// Wizards duel for power. What one loses another gains, and a wizard without power is out.
contract Tournament is Ownership {
    event WizardCreated(uint256 indexed wizardId, address indexed owner, uint8 affinity, uint256 power);
    event WizardPowerChanged(uint256 indexed wizardId, uint256 power);
    event WizardEliminated(uint256 indexed wizardId);
    event DuelStart(
        bytes32 indexed duelId, uint256 indexed wizardId1, uint256 indexed wizardId2, uint8 affinity1, uint8 affinity2,
        uint256 timeoutBlock, bool isAscensionBattle, bytes32 commit1, bytes32 commit2
    );
    event DuelEnd(
        bytes32 indexed duelId, uint256 indexed wizardId1, uint256 indexed wizardId2, bytes32 moveSet1, bytes32 moveSet2,
        uint256 startPower1, uint256 startPower2, uint256 endPower1, uint256 endPower2
    );
    event DuelTimeOut(
        bytes32 indexed duelId, uint256 indexed wizardId1, uint256 indexed wizardId2,
        uint256 startPower1, uint256 startPower2, uint256 endPower1, uint256 endPower2
    );

    /// Affinities; the last three are moves as well.
    uint8 private constant NEUTRAL = 1;
    uint8 private constant FIRE = 2;
    uint8 private constant WATER = 4;

    uint256 private constant ROUNDS = 5;
    /// A lead of so many points takes the whole stake.
    int256 private constant WHOLE = 10;
    /// Blocks.
    uint256 public constant LONGEST_DUEL = 10_000_000;
    uint256 public constant GREATEST_INITIAL_POWER = 1_000e18;
    /// Who has as much is ascending: its duels are for everything.
    uint256 public constant ASCENSION_POWER = 1_500e18;

    /// An eliminated wizard is burned when so many have been created after it: the state stays bounded.
    uint256 public constant WIZARDS_BEFORE_BURN = 256;

    /// A duel that is over is deleted: its events tell how it ended.
    enum Status { NONE, RUNNING }

    struct Wizard {
        uint8 affinity;
        /// Zero when it is eliminated.
        uint256 power;
        /// Zero when it is in none.
        bytes32 duelId;
    }

    struct Challenge {
        uint256 opponent;
        bytes32 commit;
        uint256 duration;
    }

    struct Duel {
        Status status;
        bool isAscensionBattle;
        uint256 wizardId1;
        uint256 wizardId2;
        /// The last block in which moves can be revealed.
        uint256 timeoutBlock;
        bytes32 commit1;
        bytes32 commit2;
        /// Zero until it is revealed.
        bytes32 moveSet1;
        bytes32 moveSet2;
    }

    uint256 public wizardCount;
    uint256 public duelCount;
    /// By challenger, who has one at a time.
    mapping(uint256 => Challenge) public challenges;
    mapping(uint256 => Wizard) private wizards;
    mapping(bytes32 => Duel) private duels;
    uint256[] private alive;
    mapping(uint256 => uint256) private placeAmongAlive;

    /// Anybody makes a wizard of their own; ids are counted from 1.
    function create(uint8 affinity, uint256 power) external returns (uint256 wizardId) {
        require(affinity >= NEUTRAL && affinity <= WATER, "no such affinity");
        require(power > 0 && power <= GREATEST_INITIAL_POWER, "no such initial power");
        wizardId = ++wizardCount;
        wizards[wizardId] = Wizard(affinity, power, 0);
        placeAmongAlive[wizardId] = alive.length;
        alive.push(wizardId);
        give(address(0), msg.sender, wizardId);
        emit WizardCreated(wizardId, msg.sender, affinity, power);
        if (wizardId > WIZARDS_BEFORE_BURN) burnEliminated(wizardId - WIZARDS_BEFORE_BURN);
    }

    /// The first half of an agreement; a later challenge replaces it. What is committed to is what `commitment` gives.
    function challenge(uint256 wizardId1, uint256 wizardId2, bytes32 commit1, uint256 duration) external {
        mustBeReady(wizardId1);
        require(ownerOf(wizardId1) == msg.sender, "not the owner");
        require(wizardId1 != wizardId2, "a wizard against itself");
        require(wizards[wizardId2].power > 0, "no such opponent");
        require(duration > 0 && duration <= LONGEST_DUEL, "no such duration");
        challenges[wizardId1] = Challenge(wizardId2, commit1, duration);
    }

    /// The second half: the duel starts. Names the challenger's commitment, lest the challenge be replaced just before.
    function accept(uint256 wizardId1, uint256 wizardId2, bytes32 commit1, bytes32 commit2) external returns (bytes32 duelId) {
        Challenge memory agreed = challenges[wizardId1];
        require(agreed.opponent == wizardId2 && agreed.duration > 0 && agreed.commit == commit1, "no such challenge");
        mustBeReady(wizardId1);
        mustBeReady(wizardId2);
        require(ownerOf(wizardId2) == msg.sender, "not the owner");
        duelId = keccak256(abi.encode(++duelCount, wizardId1, wizardId2, commit1, commit2));
        Duel storage started = duels[duelId];
        started.status = Status.RUNNING;
        started.isAscensionBattle =
            wizards[wizardId1].power >= ASCENSION_POWER || wizards[wizardId2].power >= ASCENSION_POWER;
        started.wizardId1 = wizardId1;
        started.wizardId2 = wizardId2;
        started.timeoutBlock = block.number + agreed.duration;
        started.commit1 = commit1;
        started.commit2 = commit2;
        enter(wizardId1, duelId);
        enter(wizardId2, duelId);
        (uint8 affinity1, uint8 affinity2) = (wizards[wizardId1].affinity, wizards[wizardId2].affinity);
        emit DuelStart(
            duelId, wizardId1, wizardId2, affinity1, affinity2, started.timeoutBlock, started.isAscensionBattle, commit1, commit2
        );
    }

    /// Anybody who knows them may reveal a wizard's moves; the second reveal ends the duel.
    function reveal(bytes32 duelId, uint256 wizardId, bytes32 moveSet, bytes32 salt) external {
        Duel storage d = duels[duelId];
        require(d.status == Status.RUNNING, "no such duel is running");
        require(block.number <= d.timeoutBlock, "timed out");
        bool first = wizardId == d.wizardId1;
        require(first || wizardId == d.wizardId2, "not in this duel");
        require((first ? d.moveSet1 : d.moveSet2) == 0, "revealed before");
        require((first ? d.commit1 : d.commit2) == commitment(wizardId, moveSet, salt), "not what was committed to");
        mustBeMoves(moveSet);
        if (first) d.moveSet1 = moveSet;
        else d.moveSet2 = moveSet;
        if (d.moveSet1 != 0 && d.moveSet2 != 0) end(duelId, d);
    }

    /// After the last block for reveals anybody may say so. Who kept silent loses as if every round were lost.
    function timeOut(bytes32 duelId) external {
        Duel storage d = duels[duelId];
        require(d.status == Status.RUNNING, "no such duel is running");
        require(block.number > d.timeoutBlock, "not timed out");
        int256 lead = d.moveSet1 != 0 ? WHOLE : d.moveSet2 != 0 ? -WHOLE : int256(0);
        (uint256 start1, uint256 start2, uint256 end1, uint256 end2) = outcome(d, lead);
        emit DuelTimeOut(duelId, d.wizardId1, d.wizardId2, start1, start2, end1, end2);
        settle(d.wizardId1, end1);
        settle(d.wizardId2, end2);
        delete duels[duelId];
    }

    /// Names the wizard, so that nobody can take the opponent's commitment for their own and reveal it after them.
    function commitment(uint256 wizardId, bytes32 moveSet, bytes32 salt) public pure returns (bytes32) {
        return keccak256(abi.encode(wizardId, moveSet, salt));
    }

    function wizard(uint256 wizardId) external view returns (address owner, uint8 affinity, uint256 power, bytes32 duelId) {
        Wizard storage w = wizards[wizardId];
        return (ownerOf(wizardId), w.affinity, w.power, w.duelId);
    }

    function duel(bytes32 duelId) external view returns (Duel memory) {
        require(duels[duelId].status != Status.NONE, "no such duel");
        return duels[duelId];
    }

    /// The ids of those that are not eliminated, in no order.
    function living() external view returns (uint256[] memory) {
        return alive;
    }

    /// Whoever is in a duel stays until it is over, for the new owner would not know the moves; who is eliminated stays for good.
    function release(uint256 wizardId) internal override {
        mustBeReady(wizardId);
        delete challenges[wizardId];
    }

    function mustBeReady(uint256 wizardId) private view {
        require(wizards[wizardId].power > 0, "eliminated");
        require(wizards[wizardId].duelId == 0, "in a duel");
    }

    /// One form for one move set: five moves, then zeros.
    function mustBeMoves(bytes32 moveSet) private pure {
        for (uint256 i = 0; i < ROUNDS; i++) require(uint8(moveSet[i]) >= FIRE && uint8(moveSet[i]) <= WATER, "no such move");
        require(moveSet << (8 * ROUNDS) == 0, "more than five moves");
    }

    function enter(uint256 wizardId, bytes32 duelId) private {
        wizards[wizardId].duelId = duelId;
        delete challenges[wizardId];
    }

    function end(bytes32 duelId, Duel storage d) private {
        (uint256 start1, uint256 start2, uint256 end1, uint256 end2) = outcome(d, leadOfFirst(d));
        emit DuelEnd(duelId, d.wizardId1, d.wizardId2, d.moveSet1, d.moveSet2, start1, start2, end1, end2);
        settle(d.wizardId1, end1);
        settle(d.wizardId2, end2);
        delete duels[duelId];
    }

    /// A round gives two points to its winner, and one more for a move of the winner's own affinity.
    function leadOfFirst(Duel storage d) private view returns (int256 lead) {
        for (uint256 i = 0; i < ROUNDS; i++) {
            uint8 move1 = uint8(d.moveSet1[i]);
            uint8 move2 = uint8(d.moveSet2[i]);
            if (beats(move1, move2)) lead += move1 == wizards[d.wizardId1].affinity ? int256(3) : int256(2);
            if (beats(move2, move1)) lead -= move2 == wizards[d.wizardId2].affinity ? int256(3) : int256(2);
        }
    }

    /// Fire beats wind, wind beats water, water beats fire.
    function beats(uint8 move, uint8 other) private pure returns (bool) {
        return other == (move == WATER ? FIRE : move + 1);
    }

    /// The stake is the lesser power, and a lead takes as many tenths of it, rounded up; in an ascension battle the loser loses all.
    function outcome(
        Duel storage d, int256 lead
    ) private view returns (uint256 start1, uint256 start2, uint256 end1, uint256 end2) {
        (start1, start2) = (wizards[d.wizardId1].power, wizards[d.wizardId2].power);
        if (lead == 0) return (start1, start2, start1, start2);
        uint256 points = uint256(lead > 0 ? lead : -lead);
        if (points > uint256(WHOLE)) points = uint256(WHOLE);
        uint256 taken = ((start1 < start2 ? start1 : start2) * points + uint256(WHOLE) - 1) / uint256(WHOLE);
        if (d.isAscensionBattle) taken = lead > 0 ? start2 : start1;
        (end1, end2) = lead > 0 ? (start1 + taken, start2 - taken) : (start1 - taken, start2 + taken);
    }

    function burnEliminated(uint256 wizardId) private {
        if (wizards[wizardId].power > 0) return;
        delete wizards[wizardId];
        burn(wizardId);
    }

    function settle(uint256 wizardId, uint256 power) private {
        Wizard storage w = wizards[wizardId];
        delete w.duelId;
        if (w.power == power) return;
        w.power = power;
        emit WizardPowerChanged(wizardId, power);
        if (power > 0) return;
        uint256 last = alive[alive.length - 1];
        alive[placeAmongAlive[wizardId]] = last;
        placeAmongAlive[last] = placeAmongAlive[wizardId];
        delete placeAmongAlive[wizardId];
        alive.pop();
        emit WizardEliminated(wizardId);
    }
}
